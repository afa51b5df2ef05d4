import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { rng } from '../../../core/index.ts';
import { bestFit } from './alp-gmm.ts';
import { createTeacher, TaskTeacher, teacherNames } from './index.ts';
import { average, points, type ToyEnvironment, taught } from './students.cases.ts';

const chain: ToyEnvironment = { skills: 20, noise: 0, practice: 3000, chain: true };
const loose: ToyEnvironment = { skills: 20, noise: 0, practice: 600, chain: false };
const noisy: ToyEnvironment = { skills: 20, noise: 10, practice: 3000, chain: true };
const seeds = amount(4, 8);

const reaches = (environment: ToyEnvironment, name: string, options: { seeds?: number; guard?: boolean; uniform?: number } = {}) =>
  average(environment, () => createTeacher(name, points(environment)), { seeds, ...options });

describe('teachers', () => {
  it('beat uniform where skills build on each other', () => {
    const control = reaches(chain, 'uniform');
    expect(control).toBeCloseTo(0.652, 1);
    expect(reaches(chain, 'alp')).toBeGreaterThan(control + 0.1);
    expect(reaches(chain, 'nn-alp')).toBeGreaterThan(control + 0.1);
    expect(reaches(chain, 'plr')).toBeGreaterThan(control + 0.25);
    expect(reaches(chain, 'learnability')).toBeGreaterThan(control + 0.25);
    expect(reaches(chain, 'alp-gmm', { seeds: amount(2, 4) })).toBeGreaterThan(control + 0.05);
  });

  it('do not win where there is no structure', () => {
    const control = reaches(loose, 'uniform');
    for (const name of teacherNames)
      expect(Math.abs(reaches(loose, name, { seeds: name === 'alp-gmm' ? amount(2, 3) : seeds }) - control), name).toBeLessThan(0.09);
  });

  it('are caught by noise without the guard, and not with it', () => {
    const control = reaches(noisy, 'uniform');
    for (const name of ['learnability', 'nn-alp']) {
      expect(reaches(noisy, name, { guard: false }), name).toBeLessThan(control);
      expect(reaches(noisy, name), name).toBeGreaterThan(control + 0.05);
    }
    expect(reaches(noisy, 'plr')).toBeGreaterThan(control + 0.25);
    // The guard costs nothing where there is no noise.
    expect(Math.abs(reaches(chain, 'plr') - reaches(chain, 'plr', { guard: false }))).toBeLessThan(0.02);
  });

  it('fail on single wins and losses, guard or not: feed them graded outcomes', () => {
    const binary = { ...noisy, binary: true };
    const control = reaches(binary, 'uniform', { seeds: 8 });
    for (const name of ['learnability', 'nn-alp', 'plr']) expect(reaches(binary, name, { seeds: 8 }), name).toBeLessThan(control);
  });

  it('need the uniform share: without it learnability starves', () => {
    expect(reaches(chain, 'learnability', { uniform: 0 })).toBeLessThan(0.3);
  });
});

describe('a syllabus', () => {
  it('gives every task at least its uniform share, and sums to one', () => {
    const dice = rng(1);
    for (const name of teacherNames) {
      const taskTeacher = new TaskTeacher(8, createTeacher(name, points({ ...chain, skills: 8 })));
      for (let i = 0; i < 200; i++) {
        const chances = taskTeacher.chances();
        expect(chances.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 9);
        for (const chance of chances) expect(chance).toBeGreaterThanOrEqual(0.2 / 8 - 1e-12);
        taskTeacher.learn(taskTeacher.next(dice), dice.next(), dice);
      }
    }
  });

  it('learns nothing from an unknown outcome', () => {
    const taskTeacher = new TaskTeacher(3, createTeacher('plr', []));
    taskTeacher.learn(1, 0.5, rng(1));
    const before = JSON.stringify(taskTeacher.tasks);
    taskTeacher.learn(1, null, rng(1));
    expect(JSON.stringify(taskTeacher.tasks)).toBe(before);
  });

  it('is taken up where it was left', () => {
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

  it('says what is wrong', () => {
    expect(() => createTeacher('strict', [])).toThrow(/no teacher "strict".*uniform/);
    expect(() => new TaskTeacher(0, createTeacher('uniform', []))).toThrow(/at least one task/);
    expect(() => new TaskTeacher(2, createTeacher('uniform', [])).learn(2, 1, rng(1))).toThrow(/tasks 0 to 1/);
    expect(() => createTeacher('alp-gmm', [])).toThrow(/points/);
  });

  it('is decided by its seed', () => {
    expect(taught(chain, createTeacher('plr', []), { seed: 5 })).toBe(taught(chain, createTeacher('plr', []), { seed: 5 }));
  });
});

describe('fitting mixtures', () => {
  it('finds two heaps and their means', () => {
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
