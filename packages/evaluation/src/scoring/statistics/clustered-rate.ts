/** @file A rate over tries, some of which repeat the same task: repeats share their luck and do not count as tasks. */

import type { Over } from './estimator.ts';
import type { Interval } from './mean.ts';
import { type Measured, summaryOf } from './summary.ts';

/** One try: the task it repeats, and whether it did what is counted. */
export interface RatedTry extends Pick<Measured, 'task' | 'seed' | 'episode'> {
  readonly hit: boolean;
}

/** How often something happened, with an interval over tasks or seeds. */
export interface ClusteredRate {
  readonly hits: number;
  /** Tries. */
  readonly n: number;
  /** Distinct tasks among them. */
  readonly tasks: number;
  /** What the interval generalizes to. */
  readonly over: Over;
  /** At 95%; everything is possible where nothing was tried. */
  readonly interval: Interval;
}

export function clusteredRate(tries: readonly RatedTry[]): ClusteredRate {
  const summary = summaryOf(tries.map(({ hit, ...rest }) => ({ ...rest, scene: '', value: hit ? 1 : 0 })));
  const hits = tries.filter(({ hit }) => hit).length;
  const { tasks = 0, over = 'seeds', interval = null } = summary ?? {};
  return { hits, n: tries.length, tasks, over, interval: interval ?? [0, 1] };
}
