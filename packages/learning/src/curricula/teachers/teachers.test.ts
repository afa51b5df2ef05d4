import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { bestFit } from './alp-gmm.ts';
import { createTeacher, TaskTeacher, teacherNames } from './index.ts';
import { covariance, divergence } from './neighbours.ts';
import { average, points, type ToyEnvironment, taught } from './students.cases.ts';

const chain: ToyEnvironment = { skills: 20, noise: 0, practice: 3000, chain: true };
const loose: ToyEnvironment = { skills: 20, noise: 0, practice: 600, chain: false };
const noisy: ToyEnvironment = { skills: 20, noise: 10, practice: 3000, chain: true };
const seeds = amount(2, 8);

/** Several tests compare with the same students. */
const averages = new Map<string, number>();

function reaches(environment: ToyEnvironment, name: string, options: { seeds?: number; guard?: boolean; uniform?: number } = {}): number {
  const key = JSON.stringify([environment, name, { seeds, ...options }]);
  const value = averages.get(key) ?? average(environment, () => createTeacher(name, points(environment)), { seeds, ...options });
  averages.set(key, value);
  return value;
}

describe('teachers', () => {
  it('beat uniform sampling if skills build on each other', () => {
    const control = reaches(chain, 'uniform');
    expect(control).toBeCloseTo(0.652, 1);
    expect(reaches(chain, 'alp')).toBeGreaterThan(control + 0.1);
    expect(reaches(chain, 'nn-alp')).toBeGreaterThan(control + 0.1);
    expect(reaches(chain, 'plr')).toBeGreaterThan(control + 0.25);
    expect(reaches(chain, 'learnability')).toBeGreaterThan(control + 0.25);
    expect(reaches(chain, 'alp-gmm', { seeds: amount(2, 4) })).toBeGreaterThan(control + 0.05);
  });

  it('do not beat uniform sampling without structure', () => {
    const control = reaches(loose, 'uniform');
    for (const name of teacherNames) {
      const gap = reaches(loose, name, { seeds: name.endsWith('-gmm') ? amount(2, 3) : seeds }) - control;
      expect(gap, name).toBeLessThan(0.09);
      // One that gives nothing to what falls or stays gives too little to some.
      expect(gap, name).toBeGreaterThan(name === 'covar-gmm' ? -0.2 : -0.09);
    }
  });

  it('are misled by noise without the guard, but not with it', () => {
    const control = reaches(noisy, 'uniform');
    for (const name of ['learnability', 'nn-alp']) {
      expect(reaches(noisy, name, { guard: false }), name).toBeLessThan(control);
      expect(reaches(noisy, name), name).toBeGreaterThan(control + 0.05);
    }
    expect(reaches(noisy, 'plr')).toBeGreaterThan(control + 0.25);
    // The guard costs nothing where there is no noise.
    expect(Math.abs(reaches(chain, 'plr') - reaches(chain, 'plr', { guard: false }))).toBeLessThan(0.02);
  });

  it('fail on binary outcomes with or without the guard', () => {
    const binary = { ...noisy, binary: true };
    const few = { seeds: 8 };
    const control = reaches(binary, 'uniform', few);
    for (const name of ['learnability', 'nn-alp', 'plr']) expect(reaches(binary, name, few), name).toBeLessThan(control);
  });

  it('need the uniform share, without which learnability starves', () => {
    expect(reaches(chain, 'learnability', { uniform: 0 })).toBeLessThan(0.3);
  });
});

describe('TaskTeacher', () => {
  it('gives every task at least its uniform share, and the shares add up to one', () => {
    const dice = rng(1);
    for (const name of teacherNames) {
      const taskTeacher = new TaskTeacher(8, createTeacher(name, points({ ...chain, skills: 8 })));
      for (let i = 0; i < 200; i++) {
        const chances = taskTeacher.chances();
        expect(chances.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
        for (const chance of chances) expect(chance).toBeGreaterThanOrEqual(0.2 / 8 - 1e-12);
        taskTeacher.learn(taskTeacher.next(dice), dice.next(), dice);
      }
    }
  });

  it('ignores an unknown outcome', () => {
    const taskTeacher = new TaskTeacher(3, createTeacher('plr', []));
    taskTeacher.learn(1, 0.5, rng(1));
    const before = JSON.stringify(taskTeacher.tasks);
    taskTeacher.learn(1, null, rng(1));
    expect(JSON.stringify(taskTeacher.tasks)).toBe(before);
  });

  it('can be saved and resumed', () => {
    for (const name of teacherNames) {
      const make = () => new TaskTeacher(20, createTeacher(name, points(chain)));
      const [whole, half] = [make(), make()];
      const play = (taskTeacher: TaskTeacher, from: number, to: number) => {
        for (let i = from; i < to; i++) {
          const task = taskTeacher.next(rng(3, i));
          taskTeacher.learn(task, ((task * 7 + i) % 11) / 10, rng(4, i));
        }
      };
      play(whole, 0, 220);
      play(half, 0, 130);
      const again = make();
      again.read(JSON.parse(JSON.stringify(half.write())));
      play(again, 130, 220);
      expect(JSON.stringify(again.write()), name).toBe(JSON.stringify(whole.write()));
    }
  });

  it('rejects invalid teachers and tasks', () => {
    expect(() => createTeacher('strict', [])).toThrow(/Unknown teacher "strict".*uniform/);
    expect(() => new TaskTeacher(0, createTeacher('uniform', []))).toThrow(/at least one task/);
    expect(() => new TaskTeacher(2, createTeacher('uniform', [])).learn(2, 1, rng(1))).toThrow(/tasks 0 to 1/);
    expect(() => createTeacher('alp-gmm', [])).toThrow(/ALP-GMM needs the coordinates of its tasks, but/);
  });

  it('is deterministic by seed', () => {
    expect(taught(chain, createTeacher('plr', []), { seed: 5 })).toBe(taught(chain, createTeacher('plr', []), { seed: 5 }));
  });
});

describe('alternatives to ALP-GMM', () => {
  it('goal-gan and self-paced beat uniform on chains, and noise misleads self-paced', () => {
    const control = reaches(chain, 'uniform');
    expect(reaches(chain, 'goal-gan', { seeds: 2 })).toBeGreaterThan(control + 0.1);
    expect(reaches(chain, 'self-paced', { seeds: 2 })).toBeGreaterThan(control + 0.1);
    expect(reaches(noisy, 'self-paced', { seeds: 2 })).toBeLessThan(reaches(noisy, 'uniform', { seeds: 2 }));
  });

  it('covar-gmm weights tasks by rising success, not by falling', () => {
    const rows = (sign: number) => Array.from({ length: 10 }, (_, i) => [0.5, i / 10, 0.5 + (sign * i) / 20]);
    const all = new Float64Array(10).fill(1);
    expect(covariance(rows(1), all)).toBeCloseTo(0.04125, 6);
    expect(covariance(rows(-1), all)).toBeCloseTo(-0.04125, 6);
  });

  it('self-paced starts at the first solved task and widens within its bound on success', () => {
    const at = { mean: [0], deviation: [1] };
    expect([divergence(at, at), divergence({ mean: [1], deviation: [1] }, at)]).toEqual([0, 0.5]);
    const teacher = createTeacher('self-paced', [[0], [0.25], [0.5], [0.75], [1]]);
    const state = () => (teacher.write!() as { bell: { mean: number[]; deviation: number[] } | null }).bell;
    teacher.hear!(3, 0.2, rng(1));
    expect(state()).toBeNull();
    teacher.hear!(1, 0.9, rng(1));
    expect(state()).toEqual({ mean: [0.25], deviation: [0.1] });
    for (let i = 0; i < 20; i++) teacher.hear!(1, 0.1, rng(1));
    expect(state()).toEqual({ mean: [0.25], deviation: [0.1] });
    for (let i = 0; i < 20; i++) teacher.hear!(1, 0.9, rng(1));
    expect(divergence(state()!, { mean: [0.25], deviation: [0.1] })).toBeCloseTo(0.1, 4);
  });

  it('riac splits changing tasks from unchanging ones and prefers the former', () => {
    const teacher = createTeacher('riac', [[0], [0.3], [0.7], [1]]);
    for (let i = 0; i < 80; i++) teacher.hear!(i % 4, i % 4 < 2 ? i / 80 : 0.5, rng(1));
    const [moving, , , still] = teacher.weights(Array(4).fill(null) as never, 0);
    expect(moving).toBeGreaterThan(10 * still!);
  });
});

describe('mixture fitting', () => {
  it('finds two clusters and their means', () => {
    const dice = rng(9);
    const samples = Array.from({ length: 200 }, (_, i) => [
      (i % 2 === 0 ? 0.2 : 0.8) + 0.02 * (dice.next() - 0.5),
      i % 2 === 0 ? 0.1 : 0.5,
    ]);
    const bells = bestFit(samples, [1, 2], rng(2));
    expect(bells).toHaveLength(2);
    const means = bells.map(({ means: [x = 0, y = 0] }) => [x, y]).toSorted((a, b) => a[0]! - b[0]!);
    expect(means[0]?.[0]).toBeCloseTo(0.2, 2);
    expect(means[0]?.[1]).toBeCloseTo(0.1, 2);
    expect(means[1]?.[0]).toBeCloseTo(0.8, 2);
    expect(means[1]?.[1]).toBeCloseTo(0.5, 2);
  });
});
