/**
 * @file Failures become the tasks of the next phase (WebRL, arXiv 2411.02337): neighbors of failed tasks whose expected result is neither
 * hopeless nor easy. This works on tasks that are points, like all teachers; `tasksFromFailures` does the same for tasks that are not
 * listed in advance.
 */

import type { TaskHistory, Teacher } from './task-teacher.ts';

type Points = readonly (readonly number[])[];

export interface FailureTeacher {
  readonly points: Points;
  /** The number of outcomes in a phase. */
  readonly every?: number;
  /** The range of expected results, both ends included. */
  readonly band?: readonly [number, number];
}

/** The phase's tasks by number, each with the failed one that it comes from. */
type Children = readonly (readonly [task: number, parent: number])[];

export function fromFailures({ points, every = 16, band = [0.05, 0.75] }: FailureTeacher): Teacher {
  let failed: readonly number[] = [];
  let outcomeCount = 0;
  let children: Children = [];
  let isOver = false;
  return {
    name: 'failures',
    weights(tasks) {
      if (isOver) {
        isOver = false;
        const parents = [...new Set(failed)];
        failed = [];
        children = points.flatMap((_, task) => {
          const expected = expectationOf(task, tasks, points);
          const parent = parents.find((parent) => isNeighbour(points, parent, task));
          return parent === undefined || expected < band[0] || expected > band[1] ? [] : [[task, parent] as const];
        });
      }
      const weights = tasks.map(() => 0);
      for (const [task] of children) weights[task] = 1;
      return weights;
    },
    hear(task, outcome) {
      // A group counts as failed if most of it failed.
      if (outcome < 0.5) failed = [...failed, task];
      if (++outcomeCount % every === 0) isOver = true;
    },
    write: () => ({ failed, heard: outcomeCount, isOver, children: children }),
    read(from) {
      ({
        failed,
        heard: outcomeCount,
        isOver,
        children,
      } = from as {
        failed: readonly number[];
        heard: number;
        isOver: boolean;
        children: Children;
      });
    },
  };
}

/** The expected result: the mean of a task's results, or of the nearest tried tasks. */
function expectationOf(task: number, tasks: readonly TaskHistory[], points: Points): number {
  if (tasks[task].visits > 0) return tasks[task].value;
  const tried = tasks.flatMap(({ visits, value }, i) => (visits === 0 ? [] : [{ value, far: distance(points[task], points[i]) }]));
  const nearest = Math.min(...tried.map(({ far }) => far));
  const near = tried.filter(({ far }) => far <= nearest + 1e-9);
  return near.length === 0 ? 0.5 : near.reduce((sum, { value }) => sum + value, 0) / near.length;
}

/** Whether a task is itself, or one of the nearest along a single parameter. */
function isNeighbour(points: Points, from: number, to: number): boolean {
  if (from === to) return true;
  const [a, b] = [points[from], points[to]];
  const axes = a.flatMap((x, axis) => (x === b[axis] ? [] : [axis]));
  if (axes.length !== 1) return false;
  const [axis] = axes as [number];
  const [low, high] = [Math.min(a[axis], b[axis]), Math.max(a[axis], b[axis])];
  return !points.some((point) => point[axis] > low && point[axis] < high && point.every((x, i) => i === axis || x === a[i]));
}

function distance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, axis) => sum + Math.abs(x - b[axis]), 0);
}
