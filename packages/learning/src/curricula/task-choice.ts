/** @file Chooses the next task, and its turn limit. Uniform is always the control. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';

/** ScalingInter-RL (2509.08755): the cap on turns grows by stages of `every` updates; updates are counted from 1. */
export function horizon(update: number, turns: readonly number[], every: number): number {
  return turns[Math.min(Math.floor((Math.max(1, update) - 1) / every), turns.length - 1)];
}

/** The learning potential at this success rate: 0 at 0 and 1, highest at ½. */
export function learnability(rate: number): number {
  return rate * (1 - rate);
}

export interface TaskRecord {
  readonly plays: number;
  readonly wins: number;
  /** The update at which it was last played. */
  readonly last: number;
}

/** Picks a task in proportion to its learning potential; rarely played tasks count as uncertain. */
export function learnable(records: readonly TaskRecord[], dice: Rng): number {
  return dice.weighted(records.map(({ plays, wins }) => learnability((wins + 1) / (plays + 2))));
}

export interface TaskLevel {
  /** The surprise of its returns; null before it was played. */
  readonly surprise: number | null;
  readonly last: number;
  /** Outcomes so far, in order. */
  readonly outcomes?: readonly number[];
}

/**
 * Prioritized level replay: by rank of surprise, mixed with the time since each level was played. Pure noise is always surprising, so
 * `guarded` excludes such levels from the ranking.
 */
export function levelWeights(
  levels: readonly TaskLevel[],
  { update, beta = 0.1, stale = 0.1 }: { readonly update: number; readonly beta?: number; readonly stale?: number },
): readonly number[] {
  const played = levels.flatMap(({ surprise }, i) => (surprise === null ? [] : [i]));
  const score = (i: number) => (isNoise(levels[i]?.outcomes ?? []) ? -Infinity : (levels[i]?.surprise ?? 0));
  const order = played.toSorted((a, b) => score(b) - score(a) || a - b);
  const ranked = levels.map((_, i) => (order.includes(i) && score(i) > -Infinity ? (1 / (order.indexOf(i) + 1)) ** (1 / beta) : 0));
  const ages = levels.map(({ surprise, last }) => (surprise === null ? 0 : Math.max(0, update - last)));
  const [byRank, byAge] = [parts(ranked), parts(ages)];
  return levels.map((_, i) => (1 - stale) * byRank[i] + stale * byAge[i]);
}

/** The noise guard: played often, with medium results for a long time and no trend. */
export function isNoise(outcomes: readonly number[]): boolean {
  if (outcomes.length < 40) return false;
  const [late, before] = [meanOrZero(outcomes.slice(-20)), meanOrZero(outcomes.slice(-40, -20))];
  return late >= 0.2 && late <= 0.8 && Math.abs(late - before) < 0.12;
}

function parts(values: readonly number[]): readonly number[] {
  const sum = total(values);
  return values.map((value) => (sum === 0 ? 0 : value / sum));
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Tasks still worth playing: with a success rate below this one (RAPO prunes at .9). */
export function unsolvedTasks(records: readonly TaskRecord[], share = 0.9): readonly number[] {
  return records.flatMap(({ plays, wins }, i) => (plays > 0 && wins / plays >= share ? [] : [i]));
}
