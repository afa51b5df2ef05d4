/** @file The menu of tasks over parameters, and the box of ADR. */

import { lock } from '@ludus-agents/environments/internal/lock';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { taskMenu } from './task-menu.ts';
import { adr } from './teachers/adr.ts';
import { TaskTeacher } from './teachers/index.ts';

describe('task menu', () => {
  it('is the full grid with points from 0 to 1 if the grid is small', () => {
    const { tasks, points } = taskMenu(lock, { parameters: { dials: [1, 3], broken: [0, 1] }, count: 64, seed: 0 });
    expect(tasks).toHaveLength(6);
    expect(points).toEqual([
      [0, 0],
      [0, 1],
      [0.5, 0],
      [0.5, 1],
      [1, 0],
      [1, 1],
    ]);
    expect(tasks[3]).toMatchObject({ dials: 2, broken: true });
  });

  it('is a sample without duplicates if the grid is large', () => {
    const { tasks } = taskMenu(lock, { count: 20, seed: 1 });
    expect(tasks.length).toBeGreaterThan(10);
    expect(new Set(tasks.map((task) => JSON.stringify(task))).size).toBe(tasks.length);
  });
});

describe('ADR', () => {
  const points = Array.from({ length: 11 }, (_, i) => [i / 10]);

  it('starts at the first solved task, and expands on success and contracts on failure', () => {
    const teacher = adr({ points, step: 0.1 });
    const tasks = new TaskTeacher(points.length, teacher, { uniform: 0 });
    const given = () => tasks.chances().flatMap((chance, i) => (chance > 0 ? [i] : []));
    tasks.learn(5, 0.2, rng(0));
    expect(given()).toHaveLength(11);
    tasks.learn(5, 1, rng(0));
    expect(given()).toEqual([5]);
    // At the start both bounds are one task, so that both queues fill.
    for (let i = 0; i < 10; i++) tasks.learn(5, 1, rng(0));
    expect(given()).toEqual([4, 5, 6]);
    for (let i = 0; i < 10; i++) tasks.learn(6, 0, rng(0));
    expect(given()).toEqual([4, 5]);
    const again = adr({ points, step: 0.1 });
    again.read!(teacher.write!());
    expect(new TaskTeacher(11, again, { uniform: 0 }).chances()).toEqual(new TaskTeacher(11, teacher, { uniform: 0 }).chances());
  });
});
