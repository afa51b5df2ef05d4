/**
 * @file Scores of trials: the places of a split, means by task, pairs of two candidates.
 *
 * Means and pairs count distinct tasks: the plays that repeat a task are averaged first, and every scene of a suite weighs the same.
 */

import { count } from '@ludus-agents/kernel/internal/core/format';
import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { TaskPair } from './gate.ts';
import { costOfPlay, meanCost } from './objectives.ts';
import type { Split, TaskIdentity, TrialKey, TrialRecord } from './trial-ledger.ts';

/** All tasks of a split, `repeats` times each. */
export function placesOf(split: Split, tasks: number | readonly number[], repeats = 1): readonly TrialKey[] {
  const list = typeof tasks === 'number' ? Array.from({ length: tasks }, (_, task) => task) : tasks;
  return Array.from({ length: repeats }, (_, repeat) => list.map((task) => ({ split, task, repeat }))).flat();
}

/** The task of a play; if its environment does not identify it, every place of a split is its own task. */
export function identityOf({ at, split, task }: TrialRecord): TaskIdentity {
  return at ?? { scene: '', task: `${split}/${task}`, unit: `${split}/${task}`, use: 'held-out' };
}

/** A distinct task with the mean of its plays. */
export interface TaskMean extends TaskIdentity {
  readonly mean: number;
  readonly plays: readonly TrialRecord[];
}

/** Every distinct task with a score, in the order of its first play. */
export function byUnit(plays: readonly TrialRecord[]): ReadonlyMap<string, TaskMean> {
  const units = new Map<string, TrialRecord[]>();
  for (const play of plays) {
    if (play.score === null) continue;
    const { scene, unit } = identityOf(play);
    const key = `${scene}\n${unit}`;
    const list = units.get(key);
    if (list === undefined) units.set(key, [play]);
    else list.push(play);
  }
  return new Map(
    [...units].map(([key, list]) => [
      key,
      { ...identityOf(list[0]), mean: meanOrZero(list.map(({ score }) => score as number)), plays: list },
    ]),
  );
}

/** The mean over scenes of the mean over their tasks. */
function sceneMean(tasks: readonly { readonly scene: string; readonly mean: number }[]): number {
  return meanOrZero([...Map.groupBy(tasks, ({ scene }) => scene).values()].map((ownItems) => meanOrZero(ownItems.map(({ mean }) => mean))));
}

/** "4 tasks, 12 episodes", "24 episodes of 2 tasks" or "24 tasks": repeats do not count as tasks. */
export function countTasks(tasks: readonly { readonly scene: string; readonly task: string }[], episodes: number): string {
  const distinct = new Set(tasks.map(({ scene, task }) => `${scene}\n${task}`)).size;
  if (tasks.length > distinct) return `${count(episodes, 'episode')} of ${count(distinct, 'task')}`;
  return episodes > distinct ? `${count(distinct, 'task')}, ${count(episodes, 'episode')}` : count(distinct, 'task');
}

/** The mean score of every place over its repeats, without places that have no score. */
export function byTask(plays: readonly TrialRecord[]): ReadonlyMap<number, number> {
  const scores = new Map<number, number[]>();
  for (const { task, score } of plays) {
    if (score === null) continue;
    const list = scores.get(task);
    if (list === undefined) scores.set(task, [score]);
    else list.push(score);
  }
  return new Map([...scores].map(([task, list]) => [task, meanOrZero(list)]));
}

/** Both sides of every place with both scores, as means by distinct task. */
export function pairTrials(before: readonly TrialRecord[], after: readonly TrialRecord[]): readonly TaskPair[] {
  const place = ({ split, task, repeat }: TrialRecord) => `${split}/${task}/${repeat}`;
  const scoredKeys = (plays: readonly TrialRecord[]) => new Set(plays.filter(({ score }) => score !== null).map(place));
  const [a, b] = [scoredKeys(before), scoredKeys(after)];
  const [first, second] = [before.filter((play) => b.has(place(play))), after.filter((play) => a.has(place(play)))];
  const [left, right] = [byUnit(first), byUnit(second)];
  return [...left].map(([key, taskMean]) => {
    const other = right.get(key) as TaskMean;
    return {
      ...{ task: taskMean.plays[0].task, name: taskMean.task, scene: taskMean.scene, before: taskMean.mean, after: other.mean },
      places: [...new Set(taskMean.plays.map(({ task }) => task))],
      plays: taskMean.plays.length,
      costs: { before: meanCost(taskMean.plays.map(costOfPlay)), after: meanCost(other.plays.map(costOfPlay)) },
    };
  });
}

/** Mean over scenes of the means of their tasks. */
export function scoreOf(plays: readonly TrialRecord[]): number {
  return sceneMean([...byUnit(plays).values()]);
}

/** Random generators derived from a run's seed, for engines. */
export type DiceOf = (...path: readonly (string | number)[]) => Rng;
