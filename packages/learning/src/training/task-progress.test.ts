/** @file Percentiles over tasks, normalized by the best on each: worked numbers, and what they are deaf to. */

import { expect, it } from 'vitest';
import { gainOf } from './gain.ts';
import { isProgress, taskProgress } from './task-progress.ts';

const most = [1, 4, 5, 2, 6];
const [a, b] = [taskProgress([0, 2, 5, 1, 3], most), taskProgress([1, 1, 5, 2, 3], most)];
const near = (values: readonly number[], expected: readonly number[]) =>
  expect(values.map((value) => Math.round(value * 1e9) / 1e9)).toEqual(expected);

it('taskProgress matches the worked example, in which the second is better despite one worse task', () => {
  near([...a.percentiles, a.participation], [0.2, 0.4, 0.5, 0.5, 0.5, 0.8]);
  near([...b.percentiles, b.participation], [0.35, 0.45, 0.6, 0.8, 1, 1]);
  expect([isProgress(a, b), isProgress(b, a), isProgress(a, a)]).toEqual([true, false, false]);
});

it('does not depend on the reward scale of a task, unlike a mean', () => {
  const scaled = taskProgress([0, 200, 5, 1, 3], [1, 400, 5, 2, 6]);
  near(scaled.percentiles, a.percentiles);
});

it('is reported for training on five or more tasks', () => {
  const fresh = (rewards: readonly number[]) => ({
    against: 'others' as const,
    episodes: rewards.map((value, task) => ({ paid: value, passed: value > 0, task })),
  });
  expect(gainOf(fresh([0, 0, 0, 0, 1]), fresh([0, 0.5, 1, 1, 1])).tasks).toMatchObject({ after: { participation: 0.8 }, better: true });
  expect(gainOf(fresh([0, 0, 1]), fresh([0, 1, 1])).tasks).toBeUndefined();
});
