/** @file Openings that are chosen by how they went, and deals that are spread evenly. */

import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { ChanceSeeds } from '../rl/chance-seeds.ts';
import type { EpisodeSample } from '../rl/samples.ts';
import { Tasks } from './seed-pool.ts';

const sample = (task: number, returned: number): EpisodeSample => ({
  ...{ environment: 'x@1', seat: 'a', prompt: 0, game: 0, task, turns: [], returned, invalid: 0, truncated: false },
});

/** Tasks below 128 are always won, the others never, and number 200 every other time. */
function taught(tasks: Tasks): Tasks {
  for (let update = 0; update < 10; update++)
    tasks.learn(
      Array.from({ length: 256 }, (_, task) => sample(task, task === 200 ? update % 2 : task < 128 ? 1 : -1)),
      update,
    );
  return tasks;
}

describe('task sampling', () => {
  it('uses new seeds if all tasks are equal', () => {
    const drawnTasks = new Tasks({ kind: 'uniform' }, 1).draw(1000, 0, rng(1));
    expect(new Set(drawnTasks.map(({ seed }) => seed)).size).toBe(1000);
    expect(drawnTasks.every(({ task }) => task === undefined)).toBe(true);
  });

  it('skips solved tasks', () => {
    const drawnTasks = taught(new Tasks({ kind: 'unsolved', share: 0.9 }, 1)).draw(500, 10, rng(2));
    expect(drawnTasks.every(({ task }) => (task as number) >= 128)).toBe(true);
    expect(new Tasks({ kind: 'unsolved', share: 0.9 }, 1).draw(500, 0, rng(2)).some(({ task }) => (task as number) < 128)).toBe(true);
  });

  it('prefers learnable tasks over those always won or always lost', () => {
    const drawnTasks = taught(new Tasks({ kind: 'learnable' }, 1)).draw(4000, 10, rng(3));
    const count = (task: number) => drawnTasks.filter((drawnTask) => drawnTask.task === task).length;
    expect(count(200)).toBeGreaterThan(2 * Math.max(count(5), count(220)));
  });

  it('trains on tasks with mixed results in a first pass (ARPO for GUIs)', () => {
    const rule = { kind: 'first-pass', tasks: 6, tries: 4, above: 0, below: 1 } as const;
    const tasks = new Tasks(rule, 1);
    // Tasks 0 and 1 are never won, 2 and 3 every other time, 4 and 5 always.
    const play = (count: number, update: number) => {
      const drawnTasks = tasks.draw(count, update, rng(update));
      tasks.learn(
        drawnTasks.flatMap(({ task = 0 }) => [sample(task, task > 1 ? 1 : -1), sample(task, task > 3 ? 1 : -1)]),
        update,
      );
      return drawnTasks.map(({ task }) => task);
    };
    expect([play(4, 0), play(4, 1), play(3, 2)]).toEqual([
      [0, 1, 2, 3],
      [4, 5, 0, 1],
      [2, 3, 4],
    ]);
    expect([tasks.passing, tasks.passed]).toEqual([true, null]);
    play(1, 3);
    expect([tasks.passing, tasks.passed]).toEqual([false, 'First pass: 2 of 6 tasks are trained on.']);
    const again = new Tasks(rule, 1);
    again.read(JSON.parse(JSON.stringify(tasks.write())));
    for (const otherTasks of [tasks, again])
      expect(new Set(otherTasks.draw(50, 4, rng(4)).map(({ task }) => task))).toEqual(new Set([2, 3]));
    // What is always won is refused by name; without the bound it would be trained on.
    const easy = (below: number) => {
      const all = new Tasks({ ...rule, below }, 1);
      all.learn(
        Array.from({ length: 24 }, (_, i) => sample(i % 6, 1)),
        0,
      );
      return all.passed;
    };
    expect(() => easy(1)).toThrow(/None of the 6 tasks of the first pass was won in more than 0 and less than 1/);
    expect(easy(2)).toBe('First pass: 6 of 6 tasks are trained on.');
  });

  it('replays surprising tasks and keeps its state when serialized', () => {
    const tasks = taught(new Tasks({ kind: 'replayed-levels', temperature: 0.1 }, 1));
    const again = new Tasks({ kind: 'replayed-levels', temperature: 0.1 }, 1);
    again.read(JSON.parse(JSON.stringify(tasks.write())));
    const drawnTasks = tasks.draw(200, 11, rng(4));
    expect(again.draw(200, 11, rng(4))).toEqual(drawnTasks);
    expect(drawnTasks.filter(({ task }) => task === 200).length).toBeGreaterThan(100);
  });
});

describe('chance seeds', () => {
  it('cover the six deals of Kuhn poker equally often in a batch', () => {
    const deals = new ChanceSeeds(kuhnPoker);
    expect(deals.count).toBe(6);
    const seeds = deals.even(60, rng(5));
    const counts = new Map<number, number>();
    for (const seed of seeds) counts.set(deals.of(seed), (counts.get(deals.of(seed)) ?? 0) + 1);
    expect([...counts.values()]).toEqual([10, 10, 10, 10, 10, 10]);
    expect(deals.even(7, rng(5)).length).toBe(7);
  });
});
