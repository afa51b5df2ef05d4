/** @file Scores of trials: the cells of a split, means by task, pairs of two candidates. */

import type { Rng } from '../../core/index.ts';
import { meanOrZero } from '../../core/mean.ts';
import type { TaskPair } from './gate.ts';
import { costOfPlay, meanCost } from './objectives.ts';
import type { Split, TrialKey, TrialRecord } from './trial-ledger.ts';

/** All tasks of a split, `repeats` times each. */
export function placesOf(split: Split, tasks: number | readonly number[], repeats = 1): readonly TrialKey[] {
  const list = typeof tasks === 'number' ? Array.from({ length: tasks }, (_, task) => task) : tasks;
  return Array.from({ length: repeats }, (_, repeat) => list.map((task) => ({ split, task, repeat }))).flat();
}

/** Mean score of every task over its repeats; tasks without any score are left out. */
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

/** Both sides of every place where both have a score, as means by task. */
export function pairTrials(before: readonly TrialRecord[], after: readonly TrialRecord[]): readonly TaskPair[] {
  const place = ({ split, task, repeat }: TrialRecord) => `${split}/${task}/${repeat}`;
  const scoredKeys = (plays: readonly TrialRecord[]) => new Set(plays.filter(({ score }) => score !== null).map(place));
  const [a, b] = [scoredKeys(before), scoredKeys(after)];
  const [first, second] = [before.filter((play) => b.has(place(play))), after.filter((play) => a.has(place(play)))];
  const [left, right] = [byTask(first), byTask(second)];
  const costAt = (plays: readonly TrialRecord[], task: number) =>
    meanCost(plays.flatMap((play) => (play.task === task && play.score !== null ? [costOfPlay(play)] : [])));
  return [...left].map(([task, mean]) => ({
    ...{ task, before: mean, after: right.get(task) as number },
    costs: { before: costAt(first, task), after: costAt(second, task) },
  }));
}

/** Mean over tasks of their means. */
export function scoreOf(plays: readonly TrialRecord[]): number {
  return meanOrZero([...byTask(plays).values()]);
}

/** Dice below a run's seed, for engines. */
export type DiceOf = (...path: readonly (string | number)[]) => Rng;
