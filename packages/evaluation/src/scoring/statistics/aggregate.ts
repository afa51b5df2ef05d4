/** @file Few runs compared honestly: interquartile means and chances of improvement with stratified bootstrap intervals (Agarwal et al. 2021, arXiv 2108.13264). */

import { Fault, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { quantile, resample } from './bootstrap.ts';
import { checkLevel, type Interval, mean } from './mean.ts';

export interface Aggregate {
  readonly value: number;
  readonly interval: Interval;
}

export interface AggregateOptions {
  readonly seed: Seed;
  readonly draws?: number;
  readonly level?: number;
}

/** The mean without the lowest and the highest quarter of the values, whole values only. */
export function interquartileMean(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  const cut = Math.floor(sorted.length / 4);
  return mean(sorted.slice(cut, sorted.length - cut));
}

/** How often a value of `ours` is above one of `theirs`, ties half: the Mann–Whitney statistic as a chance. */
export function chanceOfMore(ours: readonly number[], theirs: readonly number[]): number {
  let sum = 0;
  for (const x of ours) for (const y of theirs) sum += x > y ? 1 : x === y ? 0.5 : 0;
  return sum / (ours.length * theirs.length);
}

/** A statistic of several groups, each resampled within itself, with its percentile interval. */
export function stratifiedBootstrap(
  groups: readonly (readonly number[])[],
  statistic: (groups: readonly (readonly number[])[]) => number,
  { seed, draws = 2000, level = 0.95 }: AggregateOptions,
): Aggregate {
  if (groups.some((group) => group.length === 0))
    throw new Fault('input', 'A group without runs cannot be compared. Train at least one seed.', { code: 'E_UNSUPPORTED' });
  checkLevel(level);
  const dice = rng(seed, 'stratified');
  const results = Array.from({ length: draws }, () => statistic(groups.map((group) => resample(group, dice)))).sort((x, y) => x - y);
  return { value: statistic(groups), interval: [quantile(results, (1 - level) / 2), quantile(results, (1 + level) / 2)] };
}
