/** @file Components that are chosen: places inside settings, engines that choose, and gates that are as hard on them as on prose. */

import { type AgentSpec, rng } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { type Choices, chosenValue, combinations, openChoices, withChoice } from './choices.ts';
import { addressOf, componentsOf, withComponents } from './components.ts';
import { builtInEngine } from './engines/index.ts';
import { judgePairs } from './gate.ts';
import { componentKinds, idleEdits } from './idle-edits.cases.ts';
import { defaults, improve } from './improve.ts';
import { frontOfPoints } from './objectives.ts';
import { randomEdits } from './proposers/random-edits.ts';
import { toyGround } from './toy.cases.ts';

const team: AgentSpec = {
  name: 'crew',
  kind: 'team',
  settings: {
    protocol: 'rounds',
    members: [{ name: 'Ann', kind: 'llm', model: 'a' }, { name: 'Ben', kind: 'llm', model: 'a' }, 'scripted'],
  },
};

describe('component choice', () => {
  it('changes a value inside a setting, by name or number, and nothing else', () => {
    const before = componentsOf(team);
    const after = withChoice(before, 'setting/members.Ben.model', 'b');
    expect(chosenValue(after, 'setting/members.1.model')).toBe('b');
    expect(withComponents(team, after)).toEqual({
      ...team,
      settings: {
        ...team.settings,
        members: [{ name: 'Ann', kind: 'llm', model: 'a' }, { name: 'Ben', kind: 'llm', model: 'b' }, 'scripted'],
      },
    });
    expect(withChoice(after, 'setting/members.Ben.model', 'a')).toEqual(before);
    expect(() => withChoice(before, 'setting/members.Cid.model', 'b')).toThrow('Unknown entry "Cid". Available: Ann, Ben, 2.');
  });

  it('adds missing settings, offers only effective values, and respects locks', () => {
    const choices: Choices = { 'setting/protocol': ['rounds', 'refine'], 'setting/rounds': [1, 2], model: ['x'] };
    const before = componentsOf(team);
    expect(openChoices(before, choices)).toEqual({ 'setting/protocol': ['refine'], 'setting/rounds': [1, 2], model: ['x'] });
    expect(openChoices(before, choices, ['setting/*'])).toEqual({ model: ['x'] });
    expect(withComponents(team, withChoice(before, 'setting/rounds', 2)).settings).toMatchObject({ rounds: 2 });
    expect(combinations(before, choices)).toHaveLength(4);
  });

  it('round-trips the tools and notes of a spec', () => {
    const spec: AgentSpec = { name: 'a', kind: 'llm:m', tools: ['sandbox', 'desk'], notes: ['One.', 'Two\nlines.'] };
    expect(withComponents(spec, componentsOf(spec))).toEqual(spec);
    expect(withComponents(spec, withChoice(componentsOf(spec), 'tools', ['desk'])).tools).toEqual(['desk']);
  });
});

/** Runs an engine to its report. */
async function reportOf(
  engine: string,
  input: Partial<Parameters<typeof improve>[0]> & { start: AgentSpec },
  ground: ReturnType<typeof toyGround>,
) {
  const store = memoryStore();
  await store.putRun({ id: 'run', plan: { environments: [], seeds: [0], casts: [] }, episodes: 0 });
  const improvement = {
    ...{
      ...defaults,
      engine,
      settings: {},
      proposer: 'random',
      seed: 1,
      budget: { calls: 400 },
      tasks: { propose: 6, select: 12, report: 60 },
    },
    ...input,
  };
  const services = { store, run: 'run', engine: builtInEngine(engine), ground, proposer: randomEdits(), blind: randomEdits() };
  const course = improve(improvement, services);
  for (let next = await course.next(); ; next = await course.next()) if (next.done === true) return { report: next.value, store };
}

const coin = (chance: number, seed: number, ...path: readonly string[]) => (rng(seed, ...path).next() < chance ? 1 : 0);

describe('engines that choose settings', () => {
  const start: AgentSpec = { name: 'a', kind: 'toy', texts: { instruction: 'x' }, settings: { heat: 0.7 } };
  const choices: Choices = { 'setting/heat': [0, 0.7], 'setting/memory': ['off', 'on'], instruction: ['x', 'y'] };
  /** Cold with memory is best. */
  const worth = ({ settings = {} }: AgentSpec) => 0.2 + (settings['heat'] === 0 ? 0.3 : 0) + (settings['memory'] === 'on' ? 0.3 : 0);
  const settingsOf = async (engine: string) => {
    const ground = toyGround((spec, { seed }) => coin(worth(spec), seed, 'shared'));
    const { report, store } = await reportOf(engine, { start, choices }, ground);
    const retained = (await store.notes('run', 'candidates')) as unknown as { id: string; change?: { set: Record<string, string> } }[];
    return { report, set: retained.find(({ id }) => id === report.best.candidate)?.change?.set ?? {} };
  };

  it('sweep finds the best combination and confirms it on fresh tasks', async () => {
    const { report, set } = await settingsOf('sweep');
    expect(set).toMatchObject({ 'setting/heat': '0', 'setting/memory': '"on"' });
    expect(report.gain.low).toBeGreaterThan(0.3);
  });

  it.each(['gepa', 'pareto'])('%s changes settings as well as prose', async (engine) => {
    const { report } = await settingsOf(engine);
    expect(report.best.report).toBeGreaterThan(report.start.report + 0.25);
  });

  it('sweep without values is rejected', async () => {
    await expect(
      reportOf(
        'sweep',
        { start },
        toyGround(() => 0),
      ),
    ).rejects.toThrow('A sweep needs values to try: --try');
  });

  it('cost-aware model choice ends with the cheap model that is as good, and reports the front', async () => {
    const price: Record<string, number> = { large: 100, small: 10, tiny: 1 };
    const skill: Record<string, number> = { large: 0.9, small: 0.9, tiny: 0.3 };
    const ground = toyGround((spec, { seed }) => coin(skill[spec.model ?? ''] ?? 0, seed, 'shared'), {
      costOf: ({ model = '' }) => ({ calls: 1, promptTokens: price[model] ?? 0, completionTokens: 0, money: (price[model] ?? 0) / 1000 }),
    });
    const gate = { errors: 1.645, frugal: { of: 'money', margin: 0.05 } } as const;
    const begin: AgentSpec = { name: 'a', kind: 'llm', model: 'large' };
    const { report } = await reportOf('pareto', { start: begin, choices: { model: ['large', 'small', 'tiny'] }, gate }, ground);
    const small = addressOf({ ...begin, model: 'small' });
    expect(report.best.candidate).toBe(small);
    expect(report.costs.best.money).toBeCloseTo(0.01, 10);
    expect(report.front?.map(({ candidate }) => candidate)).toEqual([small, addressOf({ ...begin, model: 'tiny' })]);
  });
});

describe('multi-objective gate', () => {
  const cost = (tokens: number) => ({ tokens, money: null, seconds: 0 });
  const pairs = (differences: readonly number[], before: number, after: number) =>
    differences.map((difference, task) => ({
      task,
      before: 0.5,
      after: 0.5 + difference,
      costs: { before: cost(before), after: cost(after) },
    }));

  it('applies prices and limits, and accepts savings', () => {
    const better = pairs([0.1, 0.1, 0.1], 100, 300);
    expect(judgePairs(better).accept).toBe(true);
    expect(judgePairs(better, { errors: 1, prices: { tokens: 0.001 } })).toMatchObject({
      accept: false,
      mean: expect.closeTo(-0.1, 10) as number,
    });
    expect(judgePairs(better, { errors: 1, most: { tokens: 200 } }).words).toBe(
      'rejected: it takes 300.000 tokens per play, more than 200',
    );
    expect(judgePairs(better, { errors: 1, most: { money: 1 } }).words).toBe('rejected: its cost in money is unknown');
    const cheaper = pairs([0, -0.01, 0.01], 300, 100);
    expect(judgePairs(cheaper).accept).toBe(false);
    expect(judgePairs(cheaper, { errors: 1, frugal: { of: 'tokens', margin: 0.05 } }).words).toContain(
      'accepted: saves 200.000 tokens per play',
    );
    expect(judgePairs(pairs([-0.1, -0.1, -0.1], 300, 100), { errors: 1, frugal: { of: 'tokens', margin: 0.05 } }).accept).toBe(false);
    expect(judgePairs(cheaper, { errors: 1, frugal: { of: 'money', margin: 0.05 } }).accept).toBe(false);
  });

  it('keeps the non-dominated front of 100 random sets of points', () => {
    for (let seed = 0; seed < 100; seed++) {
      const dice = rng(seed, 'cloud');
      const points = Array.from({ length: 12 }, (_, i) => ({
        ...{ candidate: String(i), score: dice.int(5), tokens: dice.int(5), seconds: dice.int(5) },
        money: dice.int(4) === 0 ? null : dice.int(5),
      }));
      const front = frontOfPoints(points);
      expect(front.length).toBeGreaterThan(0);
      const most = Math.max(...points.map(({ score }) => score));
      expect(front[0]?.score).toBe(most);
      for (const a of front)
        for (const b of front)
          expect(a.score > b.score && a.tokens < b.tokens && a.seconds < b.seconds && (a.money ?? 9) < (b.money ?? 9)).toBe(false);
    }
  });
});

describe.each(Object.entries(componentKinds))('idle edits of %s', (_, kind) => {
  it('pass the gate in at most 15% of cases and are reported without bias', async () => {
    const edits = 250;
    const { made, accepted, reported } = await idleEdits(kind, edits);
    expect(made).toBeGreaterThan(edits * 0.6);
    // 15% and three standard errors of the measurement.
    expect(accepted / made).toBeLessThanOrEqual(0.15 + 3 * Math.sqrt((0.15 * 0.85) / made));
    expect(Math.abs(reported - 0.5)).toBeLessThan(4 * Math.sqrt(0.25 / (50 * accepted)));
  });
});
