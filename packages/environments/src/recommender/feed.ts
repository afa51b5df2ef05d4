/**
 * @file Users of a feed: interest by genre, fatigue that grows with every showing and halves with every list, and limited patience.
 *
 * RecoWorld (2025) describes such a world without equations. The equations here are new, and small enough to enumerate.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

export const genres = ['music', 'news', 'sport', 'science'] as const;
const interests = [0.3, 0.6, 0.9] as const;

export type FeedUser = {
  /** By genre. */
  readonly interest: readonly number[];
  /** One value per genre, or one for all. */
  readonly fatigue: readonly number[];
  /** Mean utility of the latest lists. */
  readonly recent: readonly number[];
  /** The index of the user's simulator, if the task has several. */
  readonly simulator?: number;
};

export type FeedRules = {
  readonly fatigue: 'genre' | 'global';
  /** How much one showing lowers the utility of the next. Defaults to 0.2. */
  readonly tiring?: number;
  /** The number of recent lists that patience considers, and the minimum they must bring. */
  readonly patience: number;
  readonly threshold: number;
};

/** How much one showing lowers the utility of the next, unless the rules override it. */
export const usualTiring = 0.2;
/** Minimum utility of a clicked item. */
export const clicked = 0.5;

export function drawFeedUser(rng: Rng, count: number, split: 'any' | 'train' | 'held-out'): FeedUser {
  for (;;) {
    const interest = Array.from({ length: count }, () => rng.pick(interests));
    if (split === 'any' || isHeldOutFeed(interest) === (split === 'held-out')) return freshUser(interest);
  }
}

/** Holds out about one in five interest profiles. */
export function isHeldOutFeed(interest: readonly number[]): boolean {
  return Math.round(interest.reduce((sum, value, i) => sum + 10 * value * (i + 1), 0)) % 5 === 0;
}

export function freshUser(interest: readonly number[]): FeedUser {
  return { interest, fatigue: interest.map(() => 0), recent: [] };
}

/** Returns the user after a list of genres, and the utility of each item. */
export function walk(
  user: FeedUser,
  list: readonly number[],
  rules: FeedRules,
): { readonly user: FeedUser; readonly worth: readonly number[] } {
  const { interest, recent } = user;
  const tired = user.fatigue.slice();
  const worth = list.map((genre) => {
    const at = rules.fatigue === 'global' ? 0 : genre;
    const value = interest[genre] - (rules.tiring ?? usualTiring) * tired[at];
    tired[at] = tired[at] + 1;
    return value;
  });
  const mean = worth.reduce((sum, value) => sum + value, 0) / worth.length;
  return { user: { ...user, fatigue: tired.map((value) => value / 2), recent: [...recent, mean].slice(-rules.patience) }, worth };
}

/** Returns whether the user leaves. This is possible only after as many lists as patience considers. */
export function isLeaving({ recent }: FeedUser, { patience, threshold }: FeedRules): boolean {
  return recent.length === patience && recent.reduce((sum, value) => sum + value, 0) / patience < threshold;
}

/** Returns the maximum number of lists that a user stays for, by trying every sequence. */
export function mostLists(user: FeedUser, lists: readonly (readonly number[])[], rules: FeedRules, left: number): number {
  if (left === 0) return 0;
  let most = 0;
  for (const list of lists) {
    const { user: next } = walk(user, list, rules);
    const retainedCount = 1 + (isLeaving(next, rules) ? 0 : mostLists(next, lists, rules, left - 1));
    if (retainedCount > most) most = retainedCount;
    if (most === left) break;
  }
  return most;
}

/** Returns every list of a length, as genre indexes. */
export function allLists(count: number, length: number): readonly (readonly number[])[] {
  if (length === 0) return [[]];
  return allLists(count, length - 1).flatMap((list) => Array.from({ length: count }, (_, genre) => [...list, genre]));
}
