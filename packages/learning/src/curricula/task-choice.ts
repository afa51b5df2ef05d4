/** @file Chooses which task comes next, and how long it may take. Uniform is always the control. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';

/** ScalingInter-RL (2509.08755): the cap on turns grows by stages of `every` updates; updates are counted from 1. */
export function horizon(update: number, turns: readonly number[], every: number): number {
  return turns[Math.min(Math.floor((Math.max(1, update) - 1) / every), turns.length - 1)];
}

/** How much there is to learn where success has this rate: nothing at 0 and 1, most at ½. */
export function learnability(rate: number): number {
  return rate * (1 - rate);
}

export interface TaskRecord {
  readonly plays: number;
  readonly wins: number;
  /** Update at which it was last played. */
  readonly last: number;
}

/** Picks a task in proportion to what there is to learn; tasks hardly played count as open questions. */
export function learnable(records: readonly TaskRecord[], dice: Rng): number {
  return dice.weighted(records.map(({ plays, wins }) => learnability((wins + 1) / (plays + 2))));
}

export interface TaskLevel {
  /** How much its returns still surprise; null before it was ever played. */
  readonly surprise: number | null;
  readonly last: number;
  /** Outcomes so far, in order. */
  readonly outcomes?: readonly number[];
}

/**
 * Prioritised level replay: by rank of surprise, mixed with how long ago each level was played. A level that is mere noise surprises for
 * ever, so `guarded` leaves those out of the ranking.
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

/** The noise guard: played often, middling for long, and not moving. */
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

/** Tasks still worth playing: those not solved at this rate (RAPO prunes at .9). */
export function unsolvedTasks(records: readonly TaskRecord[], share = 0.9): readonly number[] {
  return records.flatMap(({ plays, wins }, i) => (plays > 0 && wins / plays >= share ? [] : [i]));
}
