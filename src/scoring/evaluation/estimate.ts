/** @file The mean of rows with an interval that is not fooled by values that never vary, by seats that share a seed, or by unequal scenes. */

import { tQuantile } from '../statistics/distributions.ts';
import { clusteredMean, type Interval, mean } from '../statistics/mean.ts';
import { wilson, zeroSeenBound } from '../statistics/rates.ts';
import type { Row } from './row.ts';

export interface Summary {
  readonly value: number;
  /** Null where a single episode says nothing about its spread. */
  readonly interval: Interval | null;
  /** Rows with a value. */
  readonly n: number;
}

/** Errors below this are what is left of equal numbers after adding them up. */
const rounding = 1e-9;

/**
 * The mean over rows. Episodes of one task and seed share their luck and are one cluster. Values of 0 and 1 get Wilson's interval. Where
 * nothing varied, what was not seen in n clusters may still be as frequent as the rule of three allows: twenty wins in twenty are not
 * certainty.
 */
export function summaryOf(rows: readonly Row[], level = 0.95): Summary | null {
  const items = rows.flatMap((row) => (row.value === null ? [] : [{ value: row.value, cluster: clusterOf(row) }]));
  if (items.length === 0) return null;
  const value = mean(items.map((item) => item.value));
  const n = items.length;
  const clusters = new Set(items.map((item) => item.cluster)).size;
  const unit = items.every((item) => item.value >= 0 && item.value <= 1);
  const binary = items.every((item) => item.value === 0 || item.value === 1);
  const spread = clusters < 2 ? null : clusteredMean(items, level);
  if (spread !== null && spread.error > rounding) {
    const independent = n / Math.max(1, spread.designEffect);
    return { value, interval: binary ? wilson(value * independent, independent, level) : bounded(spread.interval, unit), n };
  }
  if (spread !== null && spread.naive > rounding) {
    // Seats that mirror each other cancel out within every cluster; the plain error is the cautious one then.
    const half = tQuantile(0.5 + level / 2, clusters - 1) * spread.naive;
    return { value, interval: bounded([value - half, value + half], unit), n };
  }
  if (unit) {
    const unseen = zeroSeenBound(clusters, (1 + level) / 2);
    return { value, interval: [value * (1 - unseen), value + (1 - value) * unseen], n };
  }
  return { value, interval: spread?.interval ?? null, n };
}

/**
 * The mean of independent parts, each counted the same, with an interval from the intervals of the parts: distances to the limits are
 * squared and added (MOVER; Zou and Donner 2008), which needs no part to be normal or symmetric.
 */
export function together(parts: readonly Pick<Summary, 'value' | 'interval'>[]): Pick<Summary, 'value' | 'interval'> {
  const value = mean(parts.map((part) => part.value));
  const intervals = parts.flatMap(({ interval }) => (interval === null ? [] : [interval]));
  if (intervals.length < parts.length) return { value, interval: null };
  const side = (end: 0 | 1) => {
    const squares = intervals.reduce((sum, interval, i) => sum + (interval[end] - (parts[i] as Summary).value) ** 2, 0);
    return Math.sqrt(squares) / parts.length;
  };
  return { value, interval: [value - side(0), value + side(1)] };
}

export function clusterOf({ task, seed }: Row): string {
  return `${seed} ${task}`;
}

function bounded([low, high]: Interval, unit: boolean): Interval {
  return unit ? [Math.max(0, low), Math.min(1, high)] : [low, high];
}
