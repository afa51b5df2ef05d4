/** @file Solves wordle: the number of guesses that a policy needs over a whole list, and the minimum for any policy. */

import { classesOf } from './solve.ts';

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
