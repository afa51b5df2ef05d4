/** @file Guessers of wordle: the guess that tells most, and any guess that may still be right. */

import { Fault, type JsonObject, type Script, type View } from '@ludus-agents/kernel/internal/core/index';
import { mostTelling } from './solve.ts';
import { feedback, wordLists } from './words.ts';

const openings = new Map<string, string>();

/** The guess with the highest entropy; what it would say after the same answers is kept for other episodes. */
const entropy: Script = ({ view }) => {
  const { words, left, key } = readView(view);
  let guess = openings.get(key);
  if (guess === undefined) {
    guess = mostTelling(words, left);
    if (openings.size > 50_000) openings.clear();
    openings.set(key, guess);
  }
  return { text: `[guess ${guess}]` };
};

/** Any word that may still be right, each equally likely. */
const consistent: Script = ({ view, rng }) => ({ text: `[guess ${rng.pick(readView(view).left)}]` });

function readView(view: View): { readonly words: readonly string[]; readonly left: readonly string[]; readonly key: string } {
  const data = view.seen.flatMap((item) => (item.kind === 'message' && item.data !== undefined ? [item.data as JsonObject] : []));
  const list = data[0]?.['list'];
  if (typeof list !== 'string') throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  const words: readonly string[] = Object.hasOwn(wordLists, list)
    ? wordLists[list as keyof typeof wordLists]
    : [...new Set(list.trim().split(/\s+/))];
  const past = data.slice(1).map(({ guess, answer }) => [guess as string, answer as string] as const);
  const left = words.filter((word) => past.every(([guess, answer]) => feedback(guess, word) === answer));
  return { words, left, key: `${list} ${past.join(' ')}` };
}

export const scripts: Readonly<Record<string, Script>> = { entropy, consistent };
