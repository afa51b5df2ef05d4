/** @file Tasks of a phase come from failures of the one before, and are neither hopeless nor easy by what is expected of them. */

import { rng } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { fromFailures } from './failures.ts';
import { TaskTeacher } from './task-teacher.ts';

const points = Array.from({ length: 12 }, (_, i) => [i / 11]);

/** Weights after phases in which a solver who can do tasks up to a level has met all of them. */
function afterPhases(level: number, phases = 2): { readonly weights: readonly number[]; readonly children: readonly [number, number][] } {
  const teacher = fromFailures({ points, every: 12 });
  const syllabus = new TaskTeacher(points.length, teacher);
  let weights: readonly number[] = [];
  for (let phase = 0; phase < phases; phase++) {
    for (const task of points.keys()) syllabus.learn(task, task < level ? 1 : task === level ? 0.25 : 0, rng(1, phase, task));
    weights = teacher.weights(syllabus.tasks, 0);
  }
  return { weights, children: (teacher.write!() as unknown as { readonly children: [number, number][] }).children };
}

it.each([2, 5, 9])('selects tasks just above level %i and follows the solver', (level) => {
  const { weights, children } = afterPhases(level);
  expect(weights.flatMap((weight, task) => (weight > 0 ? [task] : []))).toEqual([level]);
  // Every task has a failed parent next to it.
  for (const [task, parent] of children) {
    expect(Math.abs(task - parent)).toBeLessThanOrEqual(1);
    expect(parent).toBeGreaterThanOrEqual(level);
  }
});

it('has no preference without failures and before the first phase ends', () => {
  expect(afterPhases(12).weights.every((weight) => weight === 0)).toBe(true);
  const teacher = fromFailures({ points, every: 100 });
  const syllabus = new TaskTeacher(points.length, teacher);
  syllabus.learn(3, 0, rng(1));
  expect(teacher.weights(syllabus.tasks, 0).every((weight) => weight === 0)).toBe(true);
});
