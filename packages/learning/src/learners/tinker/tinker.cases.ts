/** @file What the tests of the Tinker client share: a codec of bytes, a learner on a local server, and a small course of training. */

import type { Codec } from '@ludus-agents/agents/internal/models/codec';
import { type Rng, rng, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { Tinker, type TinkerOptions } from './learner.ts';

const end = 256;

/** One token a byte; words of the assistant end with their own token. Prompts that grow give tokens that grow. */
export const bytes: Codec = {
  encode: ({ messages }) =>
    messages.flatMap(({ role, content }) => [
      ...Buffer.from(role === 'assistant' ? content : `${content}\n`, 'latin1'),
      ...(role === 'assistant' ? [end] : []),
    ]),
  decode: (tokens) => Buffer.from(tokens).toString('latin1'),
  stop: [end],
};

/** Impatient, so that tests are fast. */
export function learnerOn(url: string, more: Partial<TinkerOptions> = {}): Tinker {
  return new Tinker({ url, baseModel: 'tiny/bigram', codec: bytes, env: {}, first: 4, most: 100, seconds: 10, ...more });
}

export function rowsOf(dice: Rng, count = 3): readonly TokenRow[] {
  return Array.from({ length: count }, () => {
    const length = 4 + dice.int(6);
    const list = (roll: (i: number) => number) => Array.from({ length }, (_, i) => roll(i));
    const mask = list((i) => (i > 1 && dice.next() < 0.7 ? 1 : 0));
    return {
      tokens: list(() => dice.int(257)),
      mask,
      weights: list(() => dice.next() * 2 - 1),
      advantages: list(() => dice.next() * 2 - 1),
      logprobs: list(() => -5 - dice.next()),
    };
  });
}

/** Six updates with different losses, saved once on the way; `between` is called before each operation. */
export async function course(learner: Tinker, between: (operation: number) => Promise<void> | void = () => {}): Promise<void> {
  let operation = 0;
  for (let update = 0; update < 6; update++) {
    const rows = rowsOf(rng(7, 'rows', update));
    await between(operation++);
    await learner.forwardBackward(rows, ['cross_entropy', 'importance_sampling', 'ppo'][update % 3]!);
    await between(operation++);
    await learner.forwardBackward(rows.slice(1), 'cross_entropy');
    if (update === 3) await learner.save();
    await between(operation++);
    await learner.optimStep({ rate: 0.05 });
  }
}

export const operations = 18;
