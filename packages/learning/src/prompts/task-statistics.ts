/**
 * @file Means and differences over distinct tasks, with the intervals of the one estimator.
 *
 * Plays that repeat a task are averaged first, so 4 tasks played 12 times each are 4 values, not 48. Intervals are at 95%. Where all values
 * are 0 or 1 they are score intervals like Wilson's; where nothing varied they are as wide as what was not seen in n tasks may still be
 * (Clopper and Pearson's limit). So an interval never shrinks to a point.
 */

import { compare } from '@ludus-agents/evaluation/internal/scoring/statistics/compare';
import { zeroSeenBound } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import { summaryOf } from '@ludus-agents/evaluation/internal/scoring/statistics/summary';
import type { TaskUse, TrialRecord } from './trial-ledger.ts';
import { byUnit, identityOf, sceneMean, type TaskMean } from './trial-scores.ts';

/** With fewer distinct tasks than this, an interval supports no claim about other tasks. */
export const fewestTasks = 10;

/** A mean over distinct tasks. The ends of the interval are null where a single task gives no spread. */
export type TaskScore = {
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
  /** Distinct tasks; or episodes, where a task is drawn again from every seed. */
  readonly tasks: number;
  readonly episodes: number;
};

/** A difference on the same tasks with its 95% interval. */
export type ScoreDifference = TaskScore;

/** The plays of tasks that the improvement has used in one of these ways. */
export function playsOf(plays: readonly TrialRecord[], ...uses: readonly TaskUse[]): readonly TrialRecord[] {
  return plays.filter((play) => uses.includes(identityOf(play).use));
}

/** The mean score over distinct tasks; null where there is no score. */
export function taskScore(plays: readonly TrialRecord[]): TaskScore | null {
  const tasks = [...byUnit(plays).values()];
  if (tasks.length === 0) return null;
  const counts = { tasks: tasks.length, episodes: episodesIn(tasks) };
  const mean = sceneMean(tasks);
  if (tasks.length < 2) return { mean, low: null, high: null, ...counts };
  const [low = null, high = null] = summaryOf(rowsOf(mergeLonely(tasks)), { over: 'tasks' })?.interval ?? [];
  return low === high ? { mean, low: null, high: null, ...counts } : { mean, low, high, ...counts };
}

/** The mean of what the second did better, distinct task by distinct task, over the places where both have a score. */
export function differenceOf(before: readonly TrialRecord[], after: readonly TrialRecord[]): ScoreDifference {
  const place = ({ split, task, repeat }: TrialRecord) => `${split}/${task}/${repeat}`;
  const scored = (plays: readonly TrialRecord[]) => new Set(plays.filter(({ score }) => score !== null).map(place));
  const [first, second] = [scored(before), scored(after)];
  const old = [...byUnit(before.filter((play) => second.has(place(play)))).values()];
  const fresh = [...byUnit(after.filter((play) => first.has(place(play)))).values()];
  const counts = { tasks: old.length, episodes: episodesIn(old) };
  const mean = sceneMean(fresh) - sceneMean(old);
  if (old.length < 2) return { mean, low: null, high: null, ...counts };
  const contestant = (name: string, tasks: readonly TaskMean[]) => ({ name, results: rowsOf(mergeLonely(tasks)) });
  const { interval, error, points } = compare(contestant('after', fresh), contestant('before', old), { over: 'tasks' });
  if (error > 0) return { mean, low: interval[0], high: interval[1], ...counts };
  if (!points) return { mean, low: null, high: null, ...counts };
  // Every task differs by the same amount: what was not seen in n tasks may be as frequent as this.
  const unseen = zeroSeenBound(old.length, 0.975);
  return { mean, low: mean - unseen * (1 + mean), high: mean + unseen * (1 - mean), ...counts };
}

function episodesIn(tasks: readonly TaskMean[]): number {
  return tasks.reduce((sum, { plays }) => sum + plays.length, 0);
}

/** One value for each task, as the estimator takes them. */
function rowsOf(tasks: readonly TaskMean[]) {
  return tasks.map(({ scene, unit, mean }) => ({ scene, task: `${scene}\n${unit}`, seed: 0, value: mean }));
}

/** A scene with a single task has no spread: then all scenes count as one. */
function mergeLonely(tasks: readonly TaskMean[]): readonly TaskMean[] {
  const sizes = [...Map.groupBy(tasks, ({ scene }) => scene).values()];
  return sizes.every((size) => size.length > 1) ? tasks : tasks.map((task) => ({ ...task, scene: '' }));
}
