/**
 * @file Is the new one no worse than the old one? A bound on the paired difference, and a verdict that says "not shown" where too little was seen.
 *
 * One binary try for each task: Tango's score interval, which stays honest where nothing differs. Several tries: Student's t over the
 * differences of the tasks' means.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { normalQuantile, tQuantile } from './distributions.ts';
import { type Interval, mean, variance } from './mean.ts';

/** The results of one task under both, from 0 to 1. */
export interface TaskResults {
  readonly task: string;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

export interface NoWorse {
  readonly tasks: number;
  readonly means: { readonly before: number; readonly after: number };
  /** Mean of after − before, over tasks. */
  readonly difference: number;
  /** Its one-sided bounds, both at this level. */
  readonly bounds: Interval;
  readonly level: number;
  readonly margin: number;
  readonly method: 'tango' | 't';
  /** Surely not worse by more than the margin. */
  readonly noWorse: boolean;
  /** Surely worse. */
  readonly worse: boolean;
  /** Tasks that would show a loss of the margin with a chance of 80 %, as often as results differed here; null where they never did. */
  readonly needed: number | null;
}

export function noWorse(results: readonly TaskResults[], { margin = 0.05, level = 0.95 } = {}): NoWorse {
  const paired = results.filter(({ before, after }) => before.length > 0 && after.length > 0);
  if (paired.length === 0) throw new Fault('input', 'Nothing can be compared: no task was played by both.');
  const means = { before: mean(paired.map(({ before }) => mean(before))), after: mean(paired.map(({ after }) => mean(after))) };
  const differences = paired.map(({ before, after }) => mean(after) - mean(before));
  const difference = mean(differences);
  const isBinary = paired.every(({ before, after }) =>
    [before, after].every((list) => list.length === 1 && (list[0] === 0 || list[0] === 1)),
  );
  // Where all differences are equal there is no spread to measure, and t would be sure of everything.
  const flat = paired.length < 2 || differences.every((difference) => difference === differences[0]);
  const n = paired.length;
  const lost = isBinary || flat ? differences.filter((difference) => difference < 0).length : 0;
  const won = isBinary || flat ? differences.filter((difference) => difference > 0).length : 0;
  const bounds = isBinary || flat ? tangoBounds(lost, won, n, level) : tBounds(differences, level);
  const share = differences.filter((difference) => difference !== 0).length / n;
  return {
    ...{ tasks: n, means, difference, bounds, level, margin, method: isBinary || flat ? 'tango' : 't' },
    noWorse: bounds[0] > -margin,
    worse: bounds[1] < 0,
    needed: share === 0 ? null : Math.ceil(((normalQuantile(level) + normalQuantile(0.8)) ** 2 * share) / margin ** 2),
  };
}

function tBounds(differences: readonly number[], level: number): Interval {
  const n = differences.length;
  const half = tQuantile(level, n - 1) * Math.sqrt(variance(differences) / n);
  return [mean(differences) - half, mean(differences) + half];
}

/**
 * Tango's bounds for a difference of paired shares: `lost` tasks passed before only, `won` after only, of n in all. Each bound is one-sided
 * at the level.
 */
export function tangoBounds(lost: number, won: number, n: number, level = 0.95): Interval {
  const z = normalQuantile(level);
  const statistic = (delta: number): number => {
    const a = 2 * n;
    const b = -lost - won + (2 * n - won + lost) * delta;
    const c = -lost * delta * (1 - delta);
    const q = (Math.sqrt(Math.max(0, b * b - 4 * a * c)) - b) / (2 * a);
    const spread = n * (2 * q + delta * (1 - delta));
    const distance = won - lost - n * delta;
    return spread <= 0 ? Math.sign(distance) * Number.MAX_VALUE : distance / Math.sqrt(spread);
  };
  /** The statistic falls as delta grows. */
  const solve = (wanted: number): number => {
    let [low, high] = [-1, 1];
    for (let i = 0; i < 100; i++) {
      const middle = (low + high) / 2;
      if (statistic(middle) > wanted) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  return [solve(z), solve(-z)];
}

/** The verdict in words. */
export function noWorseText({ difference, bounds, margin, noWorse: fine, worse, tasks, needed }: NoWorse): string {
  const points = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(1)}`;
  const figures = `${points(difference)} points (${points(bounds[0])} to ${points(bounds[1])}) over ${tasks} tasks`;
  if (fine && worse) return `Worse, but by less than the ${100 * margin} points that are allowed: ${figures}.`;
  if (fine) return `No worse: ${figures}, and a loss of ${100 * margin} points is ruled out.`;
  if (worse) return `Worse: ${figures}.`;
  const more = needed === null || needed <= tasks ? '' : ` Some ${needed} tasks would show it.`;
  return `Not shown: ${figures}; a loss of ${100 * margin} points is neither ruled out nor seen.${more}`;
}
