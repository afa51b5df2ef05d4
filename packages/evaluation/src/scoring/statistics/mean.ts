/** @file Means with honest errors: plain, and clustered where episodes share a task, a persona or a seed. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { tQuantile } from './distributions.ts';

export type Interval = readonly [low: number, high: number];

/** A number that came out of data: how large, how sure, from how much. */
export interface Estimate {
  readonly value: number;
  readonly error: number;
  readonly interval: Interval;
  readonly n: number;
}

export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new Fault('input', 'A mean needs at least one value, but there are none. Play some episodes first.');
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** The unbiased variance (divided by n − 1). */
export function variance(values: readonly number[]): number {
  if (values.length < 2) throw new Fault('input', `A variance needs at least two values, but got ${values.length}. Play more episodes.`);
  const middle = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - middle) ** 2;
  return sum / (values.length - 1);
}

/** Refuses a confidence level that is not a share: 95 for 0.95 is the usual slip. */
export function checkLevel(level: number): number {
  if (!(level > 0 && level < 1)) throw new Fault('input', `A confidence level must be between 0 and 1, such as 0.95, but got ${level}.`);
  return level;
}

/** The mean of independent values with Student's interval. */
export function meanOf(values: readonly number[], level = 0.95): Estimate {
  const value = mean(values);
  const error = Math.sqrt(variance(values) / values.length);
  const half = tQuantile(0.5 + checkLevel(level) / 2, values.length - 1) * error;
  return { value, error, interval: [value - half, value + half], n: values.length };
}

/** A value and the group it shares its luck with. */
export interface Clustered {
  readonly value: number;
  readonly cluster: string;
}

export interface ClusteredEstimate extends Estimate {
  readonly clusters: number;
  /** The error that forgetting the clusters would have claimed. */
  readonly naive: number;
  /** Correlation of two values of one cluster; null where no cluster has two. */
  readonly correlation: number | null;
  /** How many times more episodes are needed than without clusters. */
  readonly designEffect: number;
}

/** The mean of values that come in clusters; the interval uses t at clusters − 1 degrees of freedom. */
export function clusteredMean(items: readonly Clustered[], level = 0.95): ClusteredEstimate {
  const groups = [...Map.groupBy(items, (item) => item.cluster).values()].map((group) => group.map((item) => item.value));
  if (groups.length < 2)
    throw new Fault(
      'input',
      `A clustered error needs at least two clusters, but got ${groups.length}. Use the plain mean, or play more tasks.`,
    );
  const values = items.map((item) => item.value);
  const value = mean(values);
  const error = clusteredError(groups, value);
  const naive = Math.sqrt(variance(values) / values.length);
  const half = tQuantile(0.5 + checkLevel(level) / 2, groups.length - 1) * error;
  return {
    value,
    error,
    interval: [value - half, value + half],
    n: values.length,
    clusters: groups.length,
    naive,
    correlation: components(groups)?.correlation ?? null,
    designEffect: naive === 0 ? 1 : (error / naive) ** 2,
  };
}

/** √(Σ over clusters of (sum of deviations)²) / n, times √(G / (G − 1)): the error of the mean `middle` of grouped values. */
function clusteredError(groups: readonly (readonly number[])[], middle: number): number {
  let squares = 0;
  let n = 0;
  for (const group of groups) {
    let deviation = 0;
    for (const value of group) deviation += value - middle;
    squares += deviation * deviation;
    n += group.length;
  }
  return (Math.sqrt(squares) / n) * Math.sqrt(groups.length / (groups.length - 1));
}

export interface VarianceParts {
  readonly between: number;
  readonly within: number;
  /** between / (between + within), before a negative `between` is cut to 0. */
  readonly correlation: number;
}

/** Variance between and within groups by one-way analysis of variance; null where no group has two values or there is one group. */
export function components(groups: readonly (readonly number[])[]): VarianceParts | null {
  const all = groups.flat();
  const free = all.length - groups.length;
  if (free < 1 || groups.length < 2) return null;
  const middle = mean(all);
  let inside = 0;
  let among = 0;
  let squares = 0;
  for (const group of groups) {
    const groupMean = mean(group);
    for (const value of group) inside += (value - groupMean) ** 2;
    among += group.length * (groupMean - middle) ** 2;
    squares += group.length ** 2;
  }
  const within = inside / free;
  const size = (all.length - squares / all.length) / (groups.length - 1);
  const between = (among / (groups.length - 1) - within) / size;
  return { between: Math.max(0, between), within, correlation: between + within === 0 ? 0 : between / (between + within) };
}
