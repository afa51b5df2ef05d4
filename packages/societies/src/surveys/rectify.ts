/**
 * @file Rectified estimates: a few answers of people correct many synthetic ones (prediction-powered inference, arXiv 2301.09633, with the
 * weight of arXiv 2311.01453). Also computes how many people a desired precision needs.
 */

import { normalQuantile } from '@ludus-agents/evaluation/internal/scoring/statistics/distributions';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { kornGraubard } from './tables.ts';

/** A person's answer, the prediction for the same person, and the person's weight. */
export interface PersonPair {
  readonly answer: number;
  readonly predicted: number;
  readonly weight: number;
}

export interface Prediction {
  readonly predicted: number;
  readonly weight: number;
}

export interface Rectified {
  /** The estimate from the people alone. */
  readonly people: RectifiedFigure;
  /** The estimate from the synthetic answers alone. It looks precise, whether right or wrong. */
  readonly synthetic: RectifiedFigure | null;
  readonly rectified: RectifiedFigure;
  /** The weight of the synthetic answers, from 0 to 1. */
  readonly lambda: number;
  /** Correlation of answers with predictions; null if one of them never varies. */
  readonly correlation: number | null;
  /** The factor by which more people would be needed for the same precision without synthetic answers. */
  readonly gain: number;
}

export interface RectifiedFigure {
  readonly value: number;
  readonly error: number;
  readonly interval: Interval;
}

/**
 * θ = Ȳ + λ(f̄_N − f̄_n), var = λ² var(f_N)/N + var(Y − λf)/n, λ = cov(Y, f)/((1 + n/N) var f) within 0 and 1. With a `range`, such as 0
 * and 1 for a share, estimates and intervals are clamped to it, which never excludes the truth; at its ends, intervals are those of Korn
 * and Graubard.
 */
export function rectify(pairs: readonly PersonPair[], others: readonly Prediction[], level = 0.95, range?: Interval): Rectified {
  if (pairs.length < 2) throw new Fault('input', `A rectified estimate needs answers of at least two people, but got ${pairs.length}.`);
  const z = normalQuantile(0.5 + level / 2);
  const figure = (value: number, error: number, effective: number): RectifiedFigure => {
    const plain: RectifiedFigure = { value, error, interval: [value - z * error, value + z * error] };
    return range === undefined ? plain : figureWithin(range, plain, effective, level);
  };
  const answers = weightedMoments(pairs.map(({ answer, weight }) => ({ value: answer, weight })));
  const predicted = weightedMoments(pairs.map((pair) => ({ value: pair.predicted, weight: pair.weight })));
  const people = figure(answers.mean, answers.error, answers.effective);
  const joint =
    pairs.reduce((sum, pair) => sum + pair.weight * (pair.answer - answers.mean) * (pair.predicted - predicted.mean), 0) / answers.total;
  const [isSameAnswer, isSamePrediction] = [isConstant(pairs.map(({ answer }) => answer)), isConstant(pairs.map((pair) => pair.predicted))];
  const correlation = isSameAnswer || isSamePrediction ? null : joint / Math.sqrt(answers.spread * predicted.spread);
  if (others.length === 0) return { people, synthetic: null, rectified: people, lambda: 0, correlation, gain: 1 };
  const beyond = weightedMoments(others.map((prediction) => ({ value: prediction.predicted, weight: prediction.weight })));
  const pooled = variance([...pairs.map((pair) => pair.predicted), ...others.map((prediction) => prediction.predicted)]);
  // Predictions that never vary carry no information, and their variance may be a rounding error, so it must not be used as a divisor.
  const best = isSamePrediction || pooled === 0 ? 0 : joint / ((1 + pairs.length / others.length) * pooled);
  const lambda = Math.min(1, Math.max(0, best));
  const rest = weightedMoments(pairs.map((pair) => ({ value: pair.answer - lambda * pair.predicted, weight: pair.weight })));
  const error = Math.sqrt(lambda ** 2 * beyond.error ** 2 + rest.error ** 2);
  const rectified = figure(answers.mean + lambda * (beyond.mean - predicted.mean), error, answers.effective);
  return {
    people,
    synthetic: figure(beyond.mean, beyond.error, beyond.effective),
    rectified,
    lambda,
    correlation,
    gain: error === 0 ? 1 : (answers.error / error) ** 2,
  };
}

/** Returns the mean of the synthetic answers alone. */
export function syntheticFigure(values: readonly Prediction[], level: number, range: Interval): RectifiedFigure {
  const { mean, error, effective } = weightedMoments(values.map(({ predicted, weight }) => ({ value: predicted, weight })));
  const z = normalQuantile(0.5 + level / 2);
  return figureWithin(range, { value: mean, error, interval: [mean - z * error, mean + z * error] }, effective, level);
}

/**
 * Clamps an estimate and its interval to a range. At an end of the range the error is meaningless, so the interval follows from the number
 * of people.
 */
function figureWithin(
  [low, high]: Interval,
  { value, error, interval }: RectifiedFigure,
  effective: number,
  level: number,
): RectifiedFigure {
  const cut = (value: number) => Math.min(high, Math.max(low, value));
  if (value > low && value < high) return { value, error, interval: [cut(interval[0]), cut(interval[1])] };
  const [least, most] = kornGraubard(value <= low ? 0 : 1, effective, level);
  return { value: cut(value), error, interval: [low + least * (high - low), low + most * (high - low)] };
}

/** Returns whether values differ only by rounding errors. */
function isConstant(values: readonly number[]): boolean {
  let [low, high] = [values[0] ?? 0, values[0] ?? 0];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return high - low <= 1e-9 * Math.max(1, Math.abs(high));
}

interface Moments {
  readonly mean: number;
  readonly spread: number;
  readonly error: number;
  readonly total: number;
  /** The effective sample size (Kish). */
  readonly effective: number;
}

function weightedMoments(values: readonly { readonly value: number; readonly weight: number }[]): Moments {
  let [total, sum, squared] = [0, 0, 0];
  for (const { value, weight } of values) {
    total += weight;
    squared += weight ** 2;
    sum += weight * value;
  }
  const mean = sum / total;
  let [spread, squares] = [0, 0];
  for (const { value, weight } of values) {
    spread += weight * (value - mean) ** 2;
    squares += (weight * (value - mean)) ** 2;
  }
  return { mean, spread: spread / total, error: Math.sqrt(squares) / total, total, effective: total ** 2 / squared };
}

function variance(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

export interface PeoplePlan {
  /** Half the width of the desired interval. */
  readonly half: number;
  /** Variance of the answers. For a share, it is at most a quarter. */
  readonly variance: number;
  /** Correlation of answers with predictions. */
  readonly correlation: number;
  /** The number of additional synthetic answers. */
  readonly synthetic: number;
  readonly level?: number;
}

/** Returns the minimum number of people for an interval of this width: var = σ²/n · (1 − r² N/(N + n)). */
export function peopleNeeded({ half, variance: spread, correlation, synthetic, level = 0.95 }: PeoplePlan): number {
  if (!(half > 0)) throw new Fault('input', `The half-width of an interval must be above 0, but got ${half}.`);
  const z = normalQuantile(0.5 + level / 2);
  const share = (n: number) => (synthetic === Infinity ? 1 : synthetic + n === 0 ? 0 : synthetic / (synthetic + n));
  const wide = (n: number) => z * Math.sqrt((spread / n) * (1 - correlation ** 2 * share(n))) > half + 1e-12;
  let [low, high] = [0, 1];
  while (wide(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wide(middle)) low = middle;
    else high = middle;
  }
  return high;
}

export interface GroupBias {
  readonly bias: number;
  readonly error: number;
}

export interface PooledBias {
  readonly q: number;
  readonly tau2: number;
  readonly mean: number;
  readonly error: number;
  /** Each group's bias, shrunk toward the mean; the less is known about a group, the more it is shrunk. */
  readonly shrunk: readonly number[];
}

/**
 * Pools biases by DerSimonian and Laird: estimates how much they differ between groups beyond chance, and shrinks each toward their mean.
 */
export function poolBiases(groups: readonly GroupBias[]): PooledBias {
  const weights = groups.map(({ error }) => 1 / error ** 2);
  const sum = weights.reduce((total, value) => total + value, 0);
  const fixed = groups.reduce((total, { bias }, i) => total + weights[i] * bias, 0) / sum;
  const q = groups.reduce((total, { bias }, i) => total + weights[i] * (bias - fixed) ** 2, 0);
  const scale = sum - weights.reduce((total, value) => total + value ** 2, 0) / sum;
  const tau2 = groups.length < 2 ? 0 : Math.max(0, (q - (groups.length - 1)) / scale);
  const loose = groups.map(({ error }) => 1 / (error ** 2 + tau2));
  const all = loose.reduce((total, value) => total + value, 0);
  const mean = groups.reduce((total, { bias }, i) => total + loose[i] * bias, 0) / all;
  return {
    q,
    tau2,
    mean,
    error: Math.sqrt(1 / all),
    shrunk: groups.map(({ bias, error }) => (tau2 === 0 ? mean : mean + (tau2 / (tau2 + error ** 2)) * (bias - mean))),
  };
}
