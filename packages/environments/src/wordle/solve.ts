/** @file How much a guess of wordle tells. */

import { feedback } from './words.ts';

/** Words that a guess would answer alike, by the answer. */
export function classesOf(guess: string, words: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const classes = new Map<string, string[]>();
  for (const word of words) {
    const answer = feedback(guess, word);
    const item = classes.get(answer);
    if (item === undefined) classes.set(answer, [word]);
    else item.push(word);
  }
  return classes;
}

/** The bits that a guess tells on average, every word equally likely. */
export function entropyOf(guess: string, words: readonly string[]): number {
  let bits = 0;
  for (const { length } of classesOf(guess, words).values()) bits -= (length / words.length) * Math.log2(length / words.length);
  return bits;
}

/** The guess that tells most about the words left; of equals one that may be right, then the first of the list. */
export function mostTelling(words: readonly string[], left: readonly string[]): string {
  if (left.length <= 2) return left[0];
  const candidates = new Set(left);
  let best = left[0];
  let most = -1;
  for (const guess of words) {
    const bits = entropyOf(guess, left) + (candidates.has(guess) ? 1e-9 : 0);
    if (bits > most + 1e-12) [best, most] = [guess, bits];
  }
  return best;
}
