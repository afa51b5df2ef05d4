/**
 * @file ALP-GMM (arXiv 1910.07224): tasks are points, and a mixture of Gaussians over (point, learning progress) shows where progress is.
 *
 * The learning progress of a task is the distance of its outcome from that of the nearest task tried earlier. Every n outcomes mixtures of
 * several sizes are fitted to the latest ones and the best by Akaike's criterion is kept; a Gaussian is chosen by its mean progress and the
 * task from it. Differs from the paper: it fits every 50 outcomes instead of every 250, axes are independent, and tasks are numbered, so
 * that a Gaussian weighs each task by its point instead of being sampled.
 */

import { Fault, type Json, type Rng } from '@ludus-agents/kernel/internal/core/index';
import type { Teacher } from './task-teacher.ts';

/** One Gaussian of a mixture; the last axis is learning progress. */
type Bell = { readonly share: number; readonly means: readonly number[]; readonly variances: readonly number[] };

export interface AlpGmmOptions {
  /** The point of each task, each axis from 0 to 1: its parameters, for example. */
  readonly points: readonly (readonly number[])[];
  /** The number of outcomes between two fits. */
  readonly every?: number;
  /** The number of latest outcomes to fit. */
  readonly window?: number;
  /** The mixture sizes to try. */
  readonly sizes?: readonly number[];
}

type Kept = {
  readonly known: readonly (number | null)[];
  readonly samples: readonly (readonly number[])[];
  readonly bells: readonly Bell[];
  readonly heard: number;
};

const thinnest = 1e-4;

export function alpGmm({ points, every = 50, window = 100, sizes = [2, 4, 7, 10] }: AlpGmmOptions): Teacher {
  if (points.length === 0) throw new Fault('input', 'ALP-GMM needs the coordinates of its tasks, but got none.');
  /** The last outcome of each task, NaN without one. */
  let knownProgress = points.map(() => Number.NaN);
  let samples: number[][] = [];
  let bells: readonly Bell[] = [];
  let speaking: readonly number[] = points.map(() => 0);
  let outcomeCount = 0;

  return {
    name: 'alp-gmm',
    weights: () => speaking,
    hear(task, outcome, dice) {
      const before = knownProgress[nearest(points, knownProgress, task)] ?? Number.NaN;
      samples.push([...points[task], Number.isNaN(before) ? outcome : Math.abs(outcome - before)]);
      knownProgress[task] = outcome;
      samples = samples.slice(-window);
      if (++outcomeCount % every !== 0) return;
      bells = bestFit(samples, sizes, dice);
      speaking = weighPoints(bells, points);
    },
    write: () => ({ known: knownProgress.map((value) => (Number.isNaN(value) ? null : value)), samples, bells, heard: outcomeCount }),
    read(from: Json) {
      const saved = from as Kept;
      knownProgress = saved.known.map((item) => item ?? Number.NaN);
      samples = saved.samples.map((sample) => [...sample]);
      ({ bells, heard: outcomeCount } = saved);
      speaking = weighPoints(bells, points);
    },
  };
}

/** The task itself if it was tried, else the nearest tried one, else itself. */
function nearest(points: readonly (readonly number[])[], progress: readonly number[], task: number): number {
  if (!Number.isNaN(progress[task])) return task;
  const here = points[task];
  let [best, least] = [task, Infinity];
  for (let i = 0; i < points.length; i++) {
    if (Number.isNaN(progress[i])) continue;
    const there = points[i];
    const distance = here.reduce((sum, x, axis) => sum + (x - there[axis]) ** 2, 0);
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}

/** The weight of each task: each Gaussian contributes its mean progress, spread over the tasks by its density. */
export function weighPoints(bells: readonly Bell[], points: readonly (readonly number[])[]): readonly number[] {
  const weights = points.map(() => 0);
  for (const { means, variances } of bells) {
    const densities = points.map((point) => Math.exp(logDensity(means, variances, point)));
    const total = densities.reduce((sum, value) => sum + value, 0);
    const progress = Math.max(0, means.at(-1) as number);
    if (total > 0) for (let i = 0; i < weights.length; i++) weights[i] = weights[i] + (progress * densities[i]) / total;
  }
  return weights;
}

/** The log-density along the point's axes. */
function logDensity(means: readonly number[], variances: readonly number[], point: readonly number[]): number {
  let sum = 0;
  for (let axis = 0; axis < point.length; axis++) {
    const variance = variances[axis];
    sum -= (point[axis] - means[axis]) ** 2 / (2 * variance) + Math.log(2 * Math.PI * variance) / 2;
  }
  return sum;
}

/** The mixture with the lowest AIC: twice its number of parameters minus twice its log-likelihood. */
export function bestFit(samples: readonly (readonly number[])[], sizes: readonly number[], dice: Rng): readonly Bell[] {
  const axes = samples[0]?.length ?? 0;
  let [best, least] = [[] as readonly Bell[], Infinity];
  for (const size of sizes) {
    const { bells, likelihood } = mixture(samples, size, dice);
    const criterion = 2 * (size * (2 * axes + 1) - 1) - 2 * likelihood;
    if (criterion < least) [best, least] = [bells, criterion];
  }
  return best;
}

/** Expectation maximization, starting from Gaussians at random samples. */
function mixture(samples: readonly (readonly number[])[], size: number, dice: Rng): { bells: readonly Bell[]; likelihood: number } {
  const spread = fitBell(samples, new Float64Array(samples.length).fill(1)).variances;
  const centres = dice.shuffle(samples).slice(0, size);
  let bells: readonly Bell[] = centres.map((means) => ({ share: 1 / centres.length, means, variances: spread }));
  let likelihood = -Infinity;
  for (let round = 0; round < 30; round++) {
    const { shares, total } = expectShares(samples, bells);
    bells = shares.map((share) => fitBell(samples, share));
    if (total - likelihood < 1e-4 * samples.length) return { bells, likelihood: total };
    likelihood = total;
  }
  return { bells, likelihood };
}

/** The share of each Gaussian in each sample, and the log-likelihood of all. */
export function expectShares(
  samples: readonly (readonly number[])[],
  bells: readonly Bell[],
): { shares: readonly Float64Array[]; total: number } {
  const shares = bells.map(({ share, means, variances }) =>
    Float64Array.from(samples, (sample) => Math.log(share) + logDensity(means, variances, sample)),
  );
  let total = 0;
  for (let i = 0; i < samples.length; i++) {
    let most = -Infinity;
    for (const share of shares) most = Math.max(most, share[i]);
    let sum = 0;
    for (const share of shares) {
      share[i] = Math.exp(share[i] - most);
      sum += share[i];
    }
    for (const share of shares) share[i] = share[i] / sum;
    total += most + Math.log(sum);
  }
  return { shares, total };
}

/** The Gaussian of samples weighted by their shares. */
function fitBell(samples: readonly (readonly number[])[], shares: Float64Array): Bell {
  const mass = shares.reduce((sum, share) => sum + share, 0) + 1e-12;
  const axes = samples[0].length;
  const [means, variances] = [new Array<number>(axes).fill(0), new Array<number>(axes).fill(thinnest)];
  for (let axis = 0; axis < axes; axis++) {
    let [sum, squares] = [0, 0];
    for (let i = 0; i < samples.length; i++) {
      const x = samples[i][axis];
      sum += shares[i] * x;
      squares += shares[i] * x * x;
    }
    means[axis] = sum / mass;
    variances[axis] = Math.max(0, squares / mass - (sum / mass) ** 2) + thinnest;
  }
  return { share: mass / samples.length, means, variances };
}
