/** @file The bootstrap: resample whole units (episodes, or clusters of them) with recorded dice, and read the interval off the results. */

import { Fault, type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { normalCdf, normalQuantile } from './distributions.ts';
import { checkLevel, type Estimate, type Interval, mean, variance } from './mean.ts';

export interface BootstrapOptions {
  readonly seed: Seed;
  readonly draws?: number;
  readonly level?: number;
  /** BCa corrects for bias and skew and is the default; the percentile interval is simpler. */
  readonly method?: 'bca' | 'percentile';
}

export interface Bootstrapped extends Estimate {
  readonly draws: number;
  readonly seed: Seed;
}

/**
 * Any statistic of a list of units with its bootstrap interval. Units must be independent draws: pass clusters, not their members.
 * Few units make it too narrow: of 60 it covers a mean 94.5 times in a hundred, of 20 about 93.5 times.
 */
export function bootstrap<T>(units: readonly T[], statistic: (sample: readonly T[]) => number, options: BootstrapOptions): Bootstrapped {
  const { seed, draws = 2000, level = 0.95, method = 'bca' } = options;
  if (units.length < 2)
    throw new Fault('input', `A bootstrap needs at least two units to draw from, but got ${units.length}. Play more episodes.`);
  if (!(draws >= 20)) throw new Fault('input', `draws: expected at least 20, got ${draws}.`);
  checkLevel(level);
  const dice = rng(seed, 'bootstrap');
  const value = statistic(units);
  const results = Array.from({ length: draws }, () => statistic(resample(units, dice)));
  const error = Math.sqrt(variance(results));
  results.sort((x, y) => x - y);
  const tails =
    method === 'bca' ? correctedTails(units, statistic, { value, results, level }) : ([(1 - level) / 2, (1 + level) / 2] as const);
  return { value, error, interval: [quantile(results, tails[0]), quantile(results, tails[1])], n: units.length, draws, seed };
}

/** As many units as came, each drawn anew. */
export function resample<T>(units: readonly T[], dice: Rng): T[] {
  const sample = new Array<T>(units.length);
  // Much faster than an exactly fair roll, and unfair by less than units / 2^32, which no bootstrap can tell.
  for (let i = 0; i < units.length; i++) sample[i] = units[Math.floor(dice.next() * units.length)];
  return sample;
}

/** The mean of clustered values, as a statistic for `bootstrap` over clusters. */
export function pooledMean(clusters: readonly (readonly number[])[]): number {
  let sum = 0;
  let n = 0;
  for (const cluster of clusters) {
    for (const value of cluster) sum += value;
    n += cluster.length;
  }
  return sum / n;
}

/** The p-quantile of sorted draws, placed at p · (draws + 1): a fresh draw falls below it with chance p, however few draws there are. */
export function quantile(sorted: readonly number[], p: number): number {
  const place = Math.min(sorted.length - 1, Math.max(0, p * (sorted.length + 1) - 1));
  const below = Math.floor(place);
  const low = sorted[below];
  const high = sorted[Math.min(below + 1, sorted.length - 1)];
  return low + (place - below) * (high - low);
}

interface Drawn {
  readonly value: number;
  readonly results: readonly number[];
  readonly level: number;
}

/** Efron's bias-corrected and accelerated tails: which quantiles of the draws bound the interval. */
function correctedTails<T>(units: readonly T[], statistic: (sample: readonly T[]) => number, { value, results, level }: Drawn): Interval {
  const below = results.filter((x) => x < value).length + results.filter((x) => x === value).length / 2;
  const plain: Interval = [(1 - level) / 2, (1 + level) / 2];
  if (below <= 0 || below >= results.length) return plain;
  const bias = normalQuantile(below / results.length);
  const left = units.map((_, i) => statistic(units.filter((_, j) => j !== i)));
  const middle = mean(left);
  let squares = 0;
  let cubes = 0;
  for (const x of left) {
    squares += (middle - x) ** 2;
    cubes += (middle - x) ** 3;
  }
  const acceleration = squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
  const correctQuantile = (p: number) => {
    const shifted = bias + normalQuantile(p);
    return normalCdf(bias + shifted / (1 - acceleration * shifted));
  };
  return [correctQuantile(plain[0]), correctQuantile(plain[1])];
}
