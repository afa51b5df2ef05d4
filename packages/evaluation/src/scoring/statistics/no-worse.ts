/** @file Tests for non-inferiority with the interval of "compare"; the verdict is "not shown" if there is too little data. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { compare } from './compare.ts';
import { checkLevel, type Interval } from './mean.ts';
import type { Observation } from './paired.ts';

/** The results of a task's tries, from 0 to 1. */
export interface TaskTries {
  readonly values: readonly number[];
  /** The seed of each; without them, only single tries are pairs. */
  readonly seeds?: readonly Seed[] | undefined;
}

/** The results of one task, from one seat, under both. */
export interface TaskResults {
  readonly scene?: string;
  readonly task: string;
  /** Other common properties of the tries: the seat. */
  readonly place?: string;
  readonly before: TaskTries;
  readonly after: TaskTries;
}

export interface NoWorse {
  /** Distinct tasks, from however many seats each was played. */
  readonly tasks: number;
  readonly means: { readonly before: number; readonly after: number };
  /** The mean of after less that of before, as "compare" has it. */
  readonly difference: number;
  /** Its interval at this level, the same as that of "compare". */
  readonly bounds: Interval;
  readonly level: number;
  readonly margin: number;
  /** Significantly not worse by more than the margin. */
  readonly noWorse: boolean;
  /** Significantly worse. */
  readonly worse: boolean;
  /** Episodes of each that would show a loss of the margin with a chance of 80 %, beyond those there are; null where nothing varied. */
  readonly needed: number | null;
}

export function noWorse(results: readonly TaskResults[], { margin = 0.05, level = 0.95 } = {}): NoWorse {
  checkLevel(level);
  const both = results.filter(({ before, after }) => before.values.length > 0 && after.values.length > 0);
  if (both.length === 0) throw new Fault('input', 'Nothing can be compared: no task was played by both.');
  const [before, after] = [observationsOf(both, 'before'), observationsOf(both, 'after')];
  const tasks = new Set(both.map(({ scene = '', task }) => JSON.stringify([scene, task]))).size;
  const fixed = { tasks, level, margin };
  if (before.length < 2 || after.length < 2) {
    const means = { before: meanOfOne(both[0]!.before), after: meanOfOne(both[0]!.after) };
    const difference = means.after - means.before;
    // A single try says nothing about others.
    return { ...fixed, means, difference, bounds: [-1, 1], noWorse: false, worse: false, needed: null };
  }
  const { sides, difference, interval, needed } = compare(
    { name: 'after', results: after },
    { name: 'before', results: before },
    { level, target: margin },
  );
  return {
    ...{ ...fixed, means: { before: sides.b.value, after: sides.a.value }, difference, bounds: interval, needed },
    noWorse: interval[0] > -margin,
    worse: interval[1] < 0,
  };
}

function meanOfOne({ values }: TaskTries): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function observationsOf(results: readonly TaskResults[], side: 'before' | 'after'): readonly Observation[] {
  return results.flatMap(({ scene = '', task, place = '', [side]: { values, seeds } }) =>
    values.map((value, i) => ({ scene, task, place, seed: seeds?.[i] ?? (side === 'before' || values.length === 1 ? i : -1 - i), value })),
  );
}

/** The verdict as text. */
export function noWorseText({ difference, bounds, margin, noWorse: fine, worse, tasks, needed }: NoWorse): string {
  const points = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(1)}`;
  const figures = `${points(difference)} points (${points(bounds[0])} to ${points(bounds[1])}) over ${count(tasks, 'task')}`;
  if (fine && worse) return `Worse, but by less than the ${100 * margin} points that are allowed: ${figures}.`;
  if (fine) return `No worse: ${figures}, and a loss of ${100 * margin} points is ruled out.`;
  if (worse) return `Worse: ${figures}.`;
  const more = needed === null || needed === 0 ? '' : ` About ${needed} more episodes of each would show it.`;
  return `Not shown: ${figures}; a loss of ${100 * margin} points is neither ruled out nor seen.${more}`;
}
