import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { bestConstant, clickbaitUsers, planValue } from '@ludus-agents/environments/internal/recommender/clickbait';
import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { loadPlanTasks } from '@ludus-agents/kernel/internal/engine/plan';
import { describe, expect, it } from 'vitest';
import { builtInScorer } from '../index.ts';
import { builtInSuite, castsOf, isBuiltInAgent, personasOf, readSuite, suite, suiteNames, suiteRun } from './index.ts';

const small = { name: 'small', nulls: ['random'], scenes: [{ environment: 'kuhn-poker', seats: ['first'] }] };

describe('built-in suites', () => {
  it.each(suiteNames())('%s refers only to existing environments, tasks, seats, agents, personas, and scorers', async (name) => {
    const { scenes, nulls, about, ...rest } = await builtInSuite(name);
    expect(rest.name).toBe(name);
    expect(about.length).toBeGreaterThan(80);
    expect(nulls.length).toBeGreaterThan(0);
    expect(new Set(scenes.map((scene) => scene.name)).size).toBe(scenes.length);
    for (const scene of scenes) {
      for (const scorer of [scene.score, ...scene.also]) await builtInScorer(scorer);
      const casts = castsOf(
        scene,
        nulls.map((kind) => ({ name: kind, kind })),
      );
      expect(casts).toHaveLength(nulls.length * scene.seats.length);
      const plan = { environments: [{ environment: scene.environment, tasks: scene.tasks }], seeds: [0], casts };
      const sheet = await loadPlanTasks(plan, builtInEnvironment);
      for (const { environment, casts: seated } of sheet.scenes)
        for (const cast of seated) for (const [seat, spec] of Object.entries(cast)) await createAgent(spec, seat, environment);
    }
  });

  it('pass the reader of external suites', async () => {
    for (const name of suiteNames()) {
      const suite = await builtInSuite(name);
      expect(readSuite(JSON.parse(JSON.stringify(suite)) as Json)).toEqual(suite);
    }
  });

  it('have a clickbait scale that no list of items exceeds', async () => {
    const { scenes } = await builtInSuite('adaptability-core');
    const scales = scenes.filter(({ environment }) => environment === 'recommender').map(({ scale }) => scale);
    expect(scales).toHaveLength(2);
    const steps = Array.from({ length: 60 }, (_, i) => i);
    for (const user of clickbaitUsers) {
      // The best of sixty items, improved one by one from the best constant.
      let plan = steps.map(() => bestConstant(user, steps.length));
      for (let round = 0; round < 3; round++)
        for (const at of steps) {
          const others = [0, 0.5, 1].map((c) => plan.map((own, i) => (i === at ? c : own)));
          plan = others.reduce((a, b) => (planValue(user, b) > planValue(user, a) ? b : a), plan);
        }
      const ends = [
        planValue(user, plan),
        planValue(
          user,
          steps.map(() => 1),
        ),
      ];
      for (const [low, high] of scales) expect(ends.every((value) => value >= low && value <= high)).toBe(true);
    }
  });

  it('reject an unknown name', async () => {
    await expect(builtInSuite('games')).rejects.toThrow(/Unknown suite "games". Available: games-core/);
  });
});

describe('readSuite', () => {
  it('fills in defaults', () => {
    expect(readSuite(small)).toEqual({
      ...{ name: 'small', version: 1, about: '', seeds: 20, k: [1, 2, 4], nulls: ['random'] },
      scenes: [
        {
          ...{ name: 'kuhn-poker', environment: 'kuhn-poker', tasks: [{}], seats: ['first'], others: {}, score: 'return', scale: [0, 1] },
          ...{ pass: 1, kinds: {}, personas: {}, also: [], reference: {} },
        },
      ],
    });
  });

  it.each<[Json, RegExp]>([
    [7, /The suite must be an object, but got 7/],
    [{ ...small, name: 'a b' }, /name must be letters, digits, dots, or dashes, but got "a b"/],
    [{ ...small, nulls: [] }, /nulls must be a list like \["random"\]: at least one trivial agent/],
    [{ ...small, scenes: [] }, /scenes must be a list of scenes, but got \[\]/],
    [{ ...small, seeds: 0 }, /seeds must be a positive integer/],
    [{ ...small, extra: 1 }, /unknown field "extra"; .*a suite has name, version/],
    [{ ...small, scenes: [{ environment: 'kuhn-poker' }] }, /scenes\[0\]\.seats must be the seats under test, .*, but is missing/],
    [{ ...small, scenes: [{ ...small.scenes[0], scale: [1, 0] }] }, /scenes\[0\]\.scale must be two numbers, the lower first/],
    [{ ...small, scenes: [{ ...small.scenes[0], floor: 1 }] }, /unknown field "scenes\[0\]\.floor"; .*scenes\[0\] has name, environment/],
    [{ ...small, scenes: [small.scenes[0]!, small.scenes[0]!] }, /two scenes named "kuhn-poker"/],
    [
      { ...small, scenes: [{ ...small.scenes[0]!, scale: [-100, 0], pass: 0.6 }] },
      /"pass" 0.6, but its scores go from -100 to 0 \("scale"\): no episode/,
    ],
    [{ ...small, scenes: [{ ...small.scenes[0]!, pass: 0 }] }, /from 0 to 1 \("scale"\): every episode/],
  ])('rejects %j with an explanation', (input, sentence) => {
    expect(() => readSuite(input)).toThrow(Fault);
    expect(() => readSuite(input)).toThrow(sentence);
  });
});

describe('casts and runs', () => {
  const two = suite({
    ...small,
    about: '',
    scenes: [
      {
        ...{ environment: 'dinner', seats: ['a', ['b', 'c']], others: { '*': 'random' } },
        ...{ kinds: { idle: 'scripted:silent' }, personas: { a: 'innkeeper' } },
      },
    ],
  });
  const [scene] = two.scenes;

  it('put each candidate in each tested seat and mark the agents of the suite', () => {
    const casts = castsOf(scene as NonNullable<typeof scene>, [{ name: 'idle', kind: 'idle' }]);
    expect(casts).toMatchObject([
      { '*': { name: 'house:random', kind: 'random' }, a: { name: 'idle', kind: 'scripted:silent', persona: { name: 'Marta Rook' } } },
      { '*': { name: 'house:random' }, b: { name: 'idle' }, c: { name: 'idle' } },
    ]);
    expect(isBuiltInAgent('house:random')).toBe(true);
    expect(isBuiltInAgent('random')).toBe(false);
  });

  it('name an unknown persona', () => {
    expect(() => personasOf({ ...(scene as NonNullable<typeof scene>), personas: { a: 'nobody' } })).toThrow(
      /Unknown persona "nobody"\. The gallery has innkeeper,/,
    );
  });

  it('use the same run for more seeds and another for changed rules', () => {
    expect(suiteRun({ ...two, seeds: 99, k: [3] })).toBe(suiteRun(two));
    expect(suiteRun({ ...two, version: 2 })).not.toBe(suiteRun(two));
    expect(suiteRun(two)).toMatch(/^small-[0-9a-f]{8}$/);
  });
});
