/**
 * @file Distances between two distributions of answers, and the distance that two samples of the same distribution would have by chance.
 */

import { rng, type Seed } from '@ludus-agents/kernel/internal/core/index';

export interface Distances {
  /** Half the sum of absolute differences. Ignores how far apart answers are on a scale. */
  readonly totalVariation: number;
  /** The steps of the scale that answers would have to move, divided by the length of the scale: 0 to 1. */
  readonly wasserstein: number;
  /** Standard deviation of the first divided by that of the second. */
  readonly deviationRatio: number | null;
  /** Entropy of the first divided by that of the second. */
  readonly entropyRatio: number | null;
}

export function distances(p: readonly number[], q: readonly number[]): Distances {
  return {
    totalVariation: totalVariation(p, q),
    wasserstein: p.length < 2 ? 0 : wasserstein(p, q) / (p.length - 1),
    deviationRatio: ratio(deviation(p), deviation(q)),
    entropyRatio: ratio(entropy(p), entropy(q)),
  };
}

export function totalVariation(p: readonly number[], q: readonly number[]): number {
  return p.reduce((sum, share, i) => sum + Math.abs(share - q[i]), 0) / 2;
}

/** Returns the area between the two cumulative distributions, in steps of the scale. */
export function wasserstein(p: readonly number[], q: readonly number[]): number {
  let [sum, apart] = [0, 0];
  for (let i = 0; i < p.length - 1; i++) {
    apart += p[i] - q[i];
    sum += Math.abs(apart);
  }
  return sum;
}

/** Returns the entropy in bits. */
export function entropy(p: readonly number[]): number {
  return p.reduce((sum, share) => (share > 0 ? sum - share * Math.log2(share) : sum), 0);
}

export function deviation(p: readonly number[]): number {
  const mean = p.reduce((sum, share, i) => sum + share * i, 0);
  return Math.sqrt(p.reduce((sum, share, i) => sum + share * (i - mean) ** 2, 0));
}

function ratio(a: number, b: number): number | null {
  return b === 0 ? null : a / b;
}

/** One person's answer as a number from 1, and the person's weight. */
export interface Coded {
  readonly code: number;
  readonly weight: number;
}

export function sharesOf(answers: readonly Coded[], options: number): readonly number[] {
  const sums = new Array<number>(options).fill(0);
  let total = 0;
  for (const { code, weight } of answers) {
    sums[code - 1] = sums[code - 1] + weight;
    total += weight;
  }
  return sums.map((sum) => (total === 0 ? 0 : sum / total));
}

export interface NoiseFloor {
  /** The 95th percentile of the distance between two samples of the same people. */
  readonly totalVariation: number;
  readonly wasserstein: number;
  /** The probability of a distance at least as large as observed by chance alone. */
  readonly p: number;
}

/** Permutes all answers many times to estimate the distance if both were samples of one population. */
export function noiseFloor(
  a: readonly Coded[],
  b: readonly Coded[],
  options: number,
  { seed, draws = 199 }: { readonly seed: Seed; readonly draws?: number },
): NoiseFloor {
  const all = [...a, ...b];
  const seenCount = totalVariation(sharesOf(a, options), sharesOf(b, options));
  const dice = rng(seed, 'noise');
  const samples = Array.from({ length: draws }, () => {
    const dealt = dice.shuffle(all);
    const [p, q] = [sharesOf(dealt.slice(0, a.length), options), sharesOf(dealt.slice(a.length), options)];
    return { totalVariation: totalVariation(p, q), wasserstein: wasserstein(p, q) / Math.max(1, options - 1) };
  });
  const at95 = (values: readonly number[]) => values.toSorted((x, y) => x - y)[Math.ceil(0.95 * draws) - 1];
  return {
    totalVariation: at95(samples.map((item) => item.totalVariation)),
    wasserstein: at95(samples.map((item) => item.wasserstein)),
    p: (1 + samples.filter((item) => item.totalVariation >= seenCount - 1e-12).length) / (draws + 1),
  };
}
