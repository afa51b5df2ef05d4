/** @file One success rate and its intervals: Wilson, Clopper–Pearson, the rule of three, and a rate seen through a fallible judge. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { betaQuantile, normalQuantile } from './distributions.ts';
import type { Over } from './estimator.ts';
import { checkLevel, type Interval } from './mean.ts';
import { type Measured, summaryOf } from './summary.ts';

/** One try: its task, and whether it succeeded. */
export interface RatedTry extends Pick<Measured, 'task' | 'seed' | 'episode'> {
  readonly hit: boolean;
}

/** The frequency of an event, with an interval over tasks or seeds. */
export interface ClusteredRate {
  readonly hits: number;
  /** Tries. */
  readonly n: number;
  /** Distinct tasks among them. */
  readonly tasks: number;
  /** The population that the interval covers. */
  readonly over: Over;
  /** At 95%; from 0 to 1 without any tries. */
  readonly interval: Interval;
}

/** A rate over tries, some of which repeat the same task: repeats share their luck and do not count as tasks. */
export function clusteredRate(tries: readonly RatedTry[]): ClusteredRate {
  const summary = summaryOf(tries.map(({ hit, ...rest }) => ({ ...rest, scene: '', value: hit ? 1 : 0 })));
  const hits = tries.filter(({ hit }) => hit).length;
  const { tasks = 0, over = 'seeds', interval = null } = summary ?? {};
  return { hits, n: tries.length, tasks, over, interval: interval ?? [0, 1] };
}

/** Wilson's score interval: right on average at any n; the default for a rate. */
export function wilson(successes: number, n: number, level = 0.95): Interval {
  checkCounts(successes, n);
  const z = normalQuantile(0.5 + checkLevel(level) / 2);
  const rate = successes / n;
  const scale = 1 + (z * z) / n;
  const centre = (rate + (z * z) / (2 * n)) / scale;
  const half = (z * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n))) / scale;
  return [successes === 0 ? 0 : Math.max(0, centre - half), successes === n ? 1 : Math.min(1, centre + half)];
}

/** The exact interval of Clopper and Pearson: never covers less than its level, and is wider for it. */
export function clopperPearson(successes: number, n: number, level = 0.95): Interval {
  checkCounts(successes, n);
  const tail = (1 - checkLevel(level)) / 2;
  return [
    successes === 0 ? 0 : betaQuantile(tail, successes, n - successes + 1),
    successes === n ? 1 : betaQuantile(1 - tail, successes + 1, n - successes),
  ];
}

/** The largest rate that n tries without one success still allow (one-sided): 1 − (1 − level)^(1/n), about 3/n at 95%. */
export function zeroSeenBound(n: number, level = 0.95): number {
  checkCounts(0, n);
  return -Math.expm1(Math.log(1 - checkLevel(level)) / n);
}

/** The interval of a rate that is reported: Wilson's, and the one-sided bound where none or all succeeded; without a try nothing is known. */
export function rateInterval(successes: number, n: number): Interval {
  if (n === 0) return [0, 1];
  const [low, high] = wilson(successes, n);
  return [successes === n ? 1 - zeroSeenBound(n) : low, successes === 0 ? zeroSeenBound(n) : high];
}

function checkCounts(successes: number, n: number): void {
  if (!(n > 0 && successes >= 0 && successes <= n))
    throw new Fault('input', `A rate needs 0 to n successes in n > 0 tries, but got ${successes} in ${n}.`);
}
