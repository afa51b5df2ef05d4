/**
 * @file Means and differences of plays, by the estimator behind every table.
 *
 * Intervals are at 95% and over distinct tasks: 4 tasks played 12 times each are 4 tasks, not 48. They equal the output of "ludus eval
 * --over tasks" for the same episodes. If a scene has a single task, they are over its seeds.
 */

import { compare } from '@ludus-agents/evaluation/internal/scoring/statistics/compare';
import type { Over } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { summaryOf } from '@ludus-agents/evaluation/internal/scoring/statistics/summary';
import type { TaskUse, TrialRecord } from './trial-ledger.ts';
import { identityOf } from './trial-scores.ts';

/** With fewer distinct tasks than this, an interval supports no claim about other tasks. */
export const fewestTasks = 10;

/** A mean with its interval. The ends are null if there is no spread. */
export type TaskScore = {
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
  /** The population of the interval: new tasks, or new seeds if a scene has a single task. */
  readonly over: Over;
  /** Distinct tasks. */
  readonly tasks: number;
  readonly episodes: number;
};

/** A difference on the same tasks with its 95% interval. */
export type ScoreDifference = TaskScore;

/** The plays of tasks that the improvement used in one of these ways. */
export function playsOf(plays: readonly TrialRecord[], ...uses: readonly TaskUse[]): readonly TrialRecord[] {
  return plays.filter((play) => uses.includes(identityOf(play).use));
}

/** The mean score; null without a score. */
export function taskScore(plays: readonly TrialRecord[]): TaskScore | null {
  const rows = rowsOf(plays);
  const over = overOf(rows);
  const summary = summaryOf(rows, { over });
  if (summary === null) return null;
  const [low, high] = endsOf(summary.interval);
  return { mean: summary.value, low, high, over, ...countsIn(rows) };
}

/** The mean improvement of the second over the first, over the places where both have a score. */
export function differenceOf(before: readonly TrialRecord[], after: readonly TrialRecord[]): ScoreDifference {
  const [first, second] = [new Set(rowsOf(before).map(({ place }) => place)), new Set(rowsOf(after).map(({ place }) => place))];
  const old = rowsOf(before).filter(({ place }) => second.has(place));
  const fresh = rowsOf(after).filter(({ place }) => first.has(place));
  const over = overOf(old);
  const counts = { over, ...countsIn(old) };
  if (old.length < 2) return { mean: (fresh[0]?.value ?? 0) - (old[0]?.value ?? 0), low: null, high: null, ...counts };
  const { difference, interval } = compare({ name: 'after', results: fresh }, { name: 'before', results: old }, { over });
  const [low, high] = endsOf(interval);
  return { mean: difference, low, high, ...counts };
}

/** The interval's ends; null if there is no spread. */
function endsOf(interval: Interval | null): readonly [number | null, number | null] {
  return interval === null || interval[0] === interval[1] ? [null, null] : interval;
}

interface PlayRow {
  readonly scene: string;
  readonly task: string;
  readonly seed: number;
  readonly place: string;
  /** Whether each seed draws a new task. */
  readonly drawn: boolean;
  readonly value: number;
}

/** The scored plays as input of the estimator. */
function rowsOf(plays: readonly TrialRecord[]): readonly PlayRow[] {
  const seeds = new Map<string, number>();
  return plays.flatMap((play) => {
    if (play.score === null) return [];
    const { scene, task, unit } = identityOf(play);
    const place = `${play.split}/${play.task}/${play.repeat}`;
    if (!seeds.has(place)) seeds.set(place, seeds.size);
    return [{ scene, task: `${scene}\n${task}`, seed: seeds.get(place) as number, place, drawn: unit !== task, value: play.score }];
  });
}

/** Over tasks, if every scene has at least two; else over seeds, the only variation in a scene with one task. */
function overOf(rows: readonly PlayRow[]): Over {
  if (rows.some(({ drawn }) => drawn)) return 'seeds';
  const scenes = Map.groupBy(rows, ({ scene }) => scene);
  return [...scenes.values()].every((scene) => new Set(scene.map(({ task }) => task)).size > 1) ? 'tasks' : 'seeds';
}

function countsIn(rows: readonly PlayRow[]): Pick<TaskScore, 'tasks' | 'episodes'> {
  return { tasks: new Set(rows.map(({ task }) => task)).size, episodes: rows.length };
}
