/** @file The information value of a wordle guess. */

import { feedback } from './words.ts';

/** Groups words by the answer that a guess would get. */
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

/** Returns the expected information of a guess in bits, with all words equally likely. */
export function entropyOf(guess: string, words: readonly string[]): number {
  let bits = 0;
  for (const { length } of classesOf(guess, words).values()) bits -= (length / words.length) * Math.log2(length / words.length);
  return bits;
}

/** Returns the guess with the most information about the remaining words. Ties prefer a possible word, then the first in the list. */
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
