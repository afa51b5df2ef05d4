import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { blockedEffect, effectsOf, pairedEffect, powerOfT } from './effects.ts';
import { assignment, deviations, planExperiment, plannedPower, readExperiment } from './experiment.ts';

const outcome = (person: number, value: number, block = '', cluster = String(person)) => ({
  person: String(person),
  value,
  weight: 1,
  block,
  cluster,
});

describe('effects', () => {
  it('of pairs match a paired t test', () => {
    const a = [4, 5, 6, 6].map((value, i) => outcome(i, value));
    const b = [5, 7, 6, 9].map((value, i) => outcome(i, value));
    const effectFigures = pairedEffect(a, b, 0.05);
    expect(effectFigures).toMatchObject({ effect: 1.5, error: expect.closeTo(0.645497, 5), people: 4, clusters: 4 });
  });

  it('of individual randomization have the pooled error of two means', () => {
    const a = [4, 5, 6, 6].map((value, i) => outcome(i, value));
    const b = [5, 7, 6, 9].map((value, i) => outcome(10 + i, value));
    // √(s²(1/4 + 1/4)) with s² = (2.75 + 8.75) / 6.
    expect(blockedEffect(a, b, 0.05)).toMatchObject({ effect: 1.5, error: expect.closeTo(Math.sqrt((11.5 / 6) * 0.5), 8) });
  });

  it('are detected at the promised power, with the promised false positive rate', () => {
    const rejections = (shift: number) => {
      let count = 0;
      for (let study = 0; study < 200; study++) {
        const dice = rng(study, 'study', shift);
        const normal = () => Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
        const people = (from: number, by: number) =>
          Array.from({ length: 64 }, (_, i) => outcome(from + i, by + normal(), i % 2 === 0 ? 'x' : 'y'));
        if ((blockedEffect(people(0, 0), people(100, shift), 0.05)?.p ?? 1) < 0.05) count++;
      }
      return count;
    };
    const [planted, none] = [rejections(0.5), rejections(0)];
    expect(planted).toBeGreaterThanOrEqual(141);
    expect(planted).toBeLessThanOrEqual(178);
    expect(none).toBeGreaterThanOrEqual(2);
    expect(none).toBeLessThanOrEqual(21);
  });

  it('of clusters have no smaller error than their clusters allow', () => {
    const cluster = (arm: number) =>
      Array.from({ length: 40 }, (_, i) => outcome(arm * 100 + i, Math.floor(i / 10) + arm, '', `${arm} ${Math.floor(i / 10)}`));
    const effectFigures = blockedEffect(cluster(0), cluster(1), 0.05);
    expect(effectFigures).toMatchObject({ effect: 1, clusters: 8 });
    // Four means 0 to 3 in each arm: √(8/7 · 2 · Σ(m − 1.5)²/16).
    expect(effectFigures?.error).toBeCloseTo(Math.sqrt((8 / 7) * 2 * (5 / 16)), 8);
  });
});

describe('power', () => {
  it.each([
    [0.5, 64, false, 0.8015],
    [0.2, 394, false, 0.8],
    [0.3, 176, false, 0.801],
    [0.8, 26, false, 0.807],
    [0.5, 34, true, 0.8078],
  ])('for an effect of %f with %i people each (paired: %s) is %f', (effect, n, paired, power) => {
    expect(powerOfT({ effect, n, alpha: 0.05, paired })).toBeCloseTo(power, 2);
  });

  it('for no effect equals alpha', () => {
    expect(powerOfT({ effect: 0, n: 30, alpha: 0.05, paired: false })).toBeCloseTo(0.05, 6);
  });
});

describe('an experiment plan', () => {
  const questionnaire = { items: [{ id: 'trust', kind: 'scale', text: 'T?', options: ['no', 'perhaps', 'yes'] }] };
  const population = { attributes: { gender: { female: 1, male: 1 } } };
  const setting = { questionnaire, population, agent: { name: 'x', kind: 'random' } };
  const input = { arms: { control: '', treated: 'Taxes fall.' }, outcome: 'trust', blocks: ['gender'], number: 20 };

  it('assigns arms evenly within blocks, deterministically per seed', () => {
    const blocks = Array.from({ length: 31 }, (_, i) => (i % 3 === 0 ? 'a' : 'b'));
    for (let seed = 0; seed < 50; seed++) {
      const arms = assignment(blocks, 2, seed);
      expect(arms).toEqual(assignment(blocks, 2, seed));
      for (const block of ['a', 'b']) {
        const ownArms = arms.filter((_, i) => blocks[i] === block);
        expect(Math.abs(ownArms.filter((arm) => arm === 0).length - ownArms.length / 2)).toBeLessThanOrEqual(0.5);
      }
    }
    const orders = Array.from({ length: 100 }, (_, seed) => assignment(['a', 'a'], 2, seed)[0]);
    expect(orders.filter((arm) => arm === 0).length).toBeGreaterThan(35);
    expect(orders.filter((arm) => arm === 0).length).toBeLessThan(65);
  });

  it('asks each person in one arm, or in all of them', () => {
    const between = planExperiment(readExperiment(input), setting);
    expect(between.arms.map(({ people, survey }) => [people.size, survey.plan.casts.length])).toEqual([
      [10, 10],
      [10, 10],
    ]);
    const within = planExperiment(readExperiment({ ...input, design: 'within' }), setting);
    expect(within.arms.map(({ people }) => people.size)).toEqual([20, 20]);
    expect(within.arms[0]?.survey.plan.seeds).toEqual(within.arms[1]?.survey.plan.seeds);
  });

  it('has a hash that depends on the plan, and names the changes', () => {
    const plan = (more: object) => planExperiment(readExperiment({ ...input, ...more }), setting);
    expect(plan({}).hash).toBe(plan({}).hash);
    expect(plan({}).hash).toMatch(/^[0-9a-f]{64}$/);
    expect(plan({ number: 24 }).hash).not.toBe(plan({}).hash);
    expect(deviations(plan({}).registration, plan({ number: 24, alpha: 0.1 }).registration).toSorted()).toEqual(['alpha', 'number']);
  });

  it.each([
    [{ arms: { one: '' } }, /needs at least two arms, but has/],
    [{ outcome: 'height' }, /is not an item\. Available: trust/],
    [{ option: 'often' }, /: set "option" to one of/],
    [{ blocks: ['town'] }, /the unknown attribute "town"\. The population has gender\./],
  ])('rejects %j', (more, why) => {
    expect(() => planExperiment(readExperiment({ ...input, ...more }), setting)).toThrow(why);
  });
});

describe('a crossover', () => {
  const rows = (from: number, pairs: readonly (readonly [number, number])[]) =>
    pairs.flatMap(([first, second], i) =>
      [first, second].map((code, period) => ({
        ...{
          person: `p${from + i}`,
          name: '',
          attributes: { town: i === 0 ? 'a' : 'b' },
          weight: 1,
          ballot: '',
          wave: `period${period + 1}`,
        },
        ...{ item: 'x', kind: 'scale' as const, status: 'answered' as const, codes: [code], answer: '', place: 1, shown: [], episode: '' },
      })),
    );
  const experiment = readExperiment({ arms: { control: 'c', treated: 't' }, outcome: 'x', design: 'crossover' });

  it('separates the effect from the period, with the error of two groups of differences', () => {
    // The treated arm first: (6,4) (7,6) (5,4); the control first: (3,6) (5,6) (4,7).
    const treated = rows(0, [
      [6, 4],
      [7, 6],
      [5, 4],
    ]);
    const control = rows(10, [
      [3, 6],
      [5, 6],
      [4, 7],
    ]);
    const [effect, period, carried] = effectsOf(experiment, [
      { arm: 'control', rows: control },
      { arm: 'treated', rows: treated },
    ]);
    expect(effect).toMatchObject({ arm: 'treated', effect: expect.closeTo(1.833333, 5), error: expect.closeTo(0.372678, 5), people: 6 });
    expect(effect?.p).toBeCloseTo(0.007933, 5);
    expect(period).toMatchObject({ arm: '(period)', effect: expect.closeTo(-0.5, 9) });
    expect(carried).toMatchObject({ arm: '(carried over)', effect: expect.closeTo(1 / 3, 6) });
  });

  it('treats people in both orders, and clears memory in between by default', () => {
    const questionnaire = { items: [{ id: 'x', kind: 'scale', text: 'X?', options: ['no', 'perhaps', 'yes'] }] };
    const population = { attributes: { town: { a: 1, b: 1 } } };
    const planned = planExperiment({ ...experiment, number: 10 }, { questionnaire, population, agent: { name: 'x', kind: 'random' } });
    const [control, treated] = planned.arms.map(({ survey }) => survey.instrument);
    expect(control?.waves.map(({ told }) => told)).toEqual(['c', 't']);
    expect(treated?.waves.map(({ told }) => told)).toEqual(['t', 'c']);
    expect(control?.memory).toBe('none');
    expect(planned.arms.map(({ people }) => people.size)).toEqual([5, 5]);
  });
});

describe('waves', () => {
  it('make the outcome a change, and arms differ from their wave on', () => {
    const questionnaire = {
      items: [{ id: 'x', kind: 'scale', text: 'X?', options: ['1', '2', '3', '4', '5'] }],
      waves: [{ name: 'before' }, { name: 'after', told: 'A year has passed.' }],
    };
    const experiment = readExperiment({ arms: { control: '', treated: 'Taxes fell.' }, outcome: 'x', at: 'after', number: 8 });
    const setting = { questionnaire, population: { attributes: { town: { a: 1, b: 1 } } }, agent: { name: 'x', kind: 'random' } };
    const planned = planExperiment(experiment, setting);
    expect(planned.arms.map(({ survey }) => survey.instrument.waves.map(({ told }) => told))).toEqual([
      ['', 'A year has passed.'],
      ['', 'A year has passed. Taxes fell.'],
    ]);
    const rows = (from: number, shift: readonly number[]) =>
      shift.flatMap((by, i) =>
        (['before', 'after'] as const).map((wave) => ({
          ...{ person: `p${from + i}`, name: '', attributes: {}, weight: 1, ballot: '', wave, item: 'x', kind: 'scale' as const },
          ...{ status: 'answered' as const, codes: [wave === 'before' ? 1 + i : 1 + i + by], answer: '', place: 1, shown: [], episode: '' },
        })),
      );
    const arms = [
      { arm: 'control', rows: rows(0, [0, 1, 0, 0]) },
      { arm: 'treated', rows: rows(10, [2, 1, 2, 1]) },
    ];
    expect(effectsOf(experiment, arms, planned)[0]).toMatchObject({ arm: 'treated', effect: 1.25, people: 8 });
    expect(() => planExperiment({ ...experiment, at: 'later' }, setting)).toThrow(/but the waves are before, after/);
  });
});

describe('the power of a design', () => {
  const of = (more: object, clusters = 0) =>
    plannedPower(readExperiment({ arms: { a: '', b: '' }, outcome: 'x', effect: 0.5, ...more }), clusters);
  it('follows from its own error', () => {
    expect(of({ number: 128 })).toBeCloseTo(0.8015, 2);
    // With blocks that explain 30%, 44 people per arm have the power of 64 without blocks.
    expect(of({ number: 90, explained: 0.3 })).toBeGreaterThan(0.79);
    // Clusters of twenty with a likeness of 0.05.
    expect(of({ number: 280, unit: 'cluster', likeness: 0.05, cluster: 'town' }, 14)).toBeCloseTo(0.785, 2);
    expect(of({ number: 320, unit: 'cluster', likeness: 0.05, cluster: 'town' }, 16)).toBeCloseTo(0.845, 2);
    expect(of({ number: 26, design: 'crossover', correlation: 0.6 })).toBeCloseTo(0.781, 2);
    expect(of({ number: 28, design: 'crossover', correlation: 0.6 })).toBeCloseTo(0.8125, 2);
  });
});

describe('cluster randomization', () => {
  it('assigns whole clusters to one arm each, and needs a cluster attribute', () => {
    const questionnaire = { items: [{ id: 'x', kind: 'scale', text: 'X?', options: ['no', 'yes'] }] };
    const population = { attributes: { town: { a: 1, b: 1, c: 1, d: 1 } } };
    const setting = { questionnaire, population, agent: { name: 'x', kind: 'random' } };
    const experiment = readExperiment({ arms: { a: '', b: 'x' }, outcome: 'x', number: 40, cluster: 'town', unit: 'cluster' });
    const planned = planExperiment(experiment, setting);
    expect(planned.arms.map(({ people }) => people.size)).toEqual([20, 20]);
    expect(() => planExperiment({ ...experiment, cluster: '' }, setting)).toThrow(/Arms are assigned to clusters, but the experiment has/);
  });
});
