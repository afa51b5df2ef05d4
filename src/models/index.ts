/** @file Every kind of model, one line each, loaded when it is named. A name is KIND or KIND/REST, e.g. "fake" or "fake/[bet]". */

import { Fault, type Model, type Prompt, type Rng } from '../core/index.ts';

interface Kind {
  readonly about: string;
  make(rest: string): Promise<Model>;
}

const kinds: Readonly<Record<string, Kind>> = {
  fake: {
    about: 'answers a move found in the prompt by chance, or always TEXT as fake/TEXT; offline and free',
    make: async (rest) =>
      (await import('./fake.ts')).fakeModel({ id: rest === '' ? 'fake' : `fake/${rest}`, answers: rest === '' ? anyMove : [rest] }),
  },
};

/** Every kind of model with what it is, for lists and help. */
export const modelKinds: readonly { readonly kind: string; readonly about: string }[] = Object.entries(kinds).map(([kind, { about }]) => ({
  kind,
  about,
}));

/** A model by name. */
export async function modelOf(name: string): Promise<Model> {
  const slash = name.indexOf('/');
  const plain = slash < 0 ? name : name.slice(0, slash);
  const kind = Object.hasOwn(kinds, plain) ? kinds[plain] : undefined;
  if (kind === undefined)
    throw new Fault('input', `There is no model "${name}"; a name begins with one of ${Object.keys(kinds).join(', ')}.`);
  return kind.make(slash < 0 ? '' : name.slice(slash + 1));
}

/** Any of the bracketed moves in the latest message that has some. */
function anyMove(prompt: Prompt, dice: Rng): string {
  for (const message of prompt.messages.toReversed()) {
    const moves = message.content.match(/\[[^[\]\n]+\]/g);
    if (moves !== null) return dice.pick(moves);
  }
  return 'I pass.';
}
