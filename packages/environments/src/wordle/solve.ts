/** @file How well wordle can be played: entropies of guesses, what a rule of play needs over a whole list, and the least that any play needs. */

import { feedback } from './words.ts';

/** Words that a guess would answer alike, by the answer. */
function classesOf(guess: string, words: readonly string[]): ReadonlyMap<string, readonly string[]> {
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

/** Guesses needed in all, over every word left as the secret, by a rule of play. */
export function totalGuesses(left: readonly string[], rule: (left: readonly string[]) => string): number {
  const guess = rule(left);
  let total = left.length;
  for (const [answer, rest] of classesOf(guess, left)) if (!isRight(answer)) total += totalGuesses(rest, rule);
  return total;
}

const isRight = (answer: string) => !/[yb]/.test(answer);

/** The least total over every word as the secret, and by which first guess; for lists of up to some twenty words. */
export function leastGuesses(words: readonly string[]): { readonly total: number; readonly by: ReadonlyMap<string, number> } {
  const memory = new Map<string, number>();
  const after = (guess: string, left: readonly string[]): number => {
    let total = left.length;
    for (const [answer, rest] of classesOf(guess, left)) {
      if (isRight(answer)) continue;
      if (rest.length === left.length) return Infinity;
      total += least(rest);
    }
    return total;
  };
  const least = (left: readonly string[]): number => {
    if (left.length <= 2) return left.length === 1 ? 1 : 3;
    const key = left.join(' ');
    const before = memory.get(key);
    if (before !== undefined) return before;
    const total = Math.min(...words.map((guess) => after(guess, left)));
    memory.set(key, total);
    return total;
  };
  const by = new Map(words.map((guess) => [guess, after(guess, words)]));
  return { total: Math.min(...by.values()), by };
}

/** The expected total over every word as the secret when each guess is any word that may still be right. */
export function consistentGuesses(left: readonly string[], memory: Map<string, number> = new Map()): number {
  const key = left.join(' ');
  const before = memory.get(key);
  if (before !== undefined) return before;
  let sum = 0;
  for (const guess of left) {
    sum += left.length;
    for (const [answer, rest] of classesOf(guess, left)) if (!isRight(answer)) sum += consistentGuesses(rest, memory);
  }
  const mean = sum / left.length;
  memory.set(key, mean);
  return mean;
}
