/** @file The functions of the library take objects in memory, plain data, and names. */

import { existsSync } from 'node:fs';
import { caseSuite } from '@ludus-agents/evaluation/internal/cases/case-suite';
import type { Agent, AnyEnvironment } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { commands } from './commands.ts';
import { attack, coverage, evaluate, exploit, run, survey, test, train } from './library.ts';
import { loadEnvironment } from './user-loaders.ts';

const firstChoice: Agent = { name: 'first choice', act: async ({ ask }) => ({ action: { text: ask.choices?.[0] ?? 'Hello.' } }) };

/** One player, two moves, of which the second pays. */
const pick = {
  id: 'pick@1',
  about: { summary: 'Take the second.', tasks: [{}], turns: 1 },
  parameters: {},
  task: () => ({}),
  seats: () => ['player'],
  start: () => ({
    state: {},
    messages: [{ to: ['player'], text: 'Pick [one] or [two].' }],
    asks: [{ seat: 'player', choices: ['[one]', '[two]'] }],
  }),
  step: (state, actions) => ({ state, messages: [], asks: [], rewards: { player: actions['player']?.text === '[two]' ? 1 : 0 } }),
  knows: () => ({}),
} as AnyEnvironment;

describe('run', () => {
  it('plays an agent and an environment that exist only in memory', async () => {
    const { played, results } = await run({ environments: [pick], seeds: 3, casts: [{ player: firstChoice }] });
    expect(played).toBe(3);
    expect(results.seats).toMatchObject([{ seat: 'player', agent: 'first choice', value: 0 }]);
  });

  it('plays agents in memory again every time, and names the object that another process lacks', async () => {
    const store = memoryStore();
    const plan = { name: 'again', environments: ['kuhn-poker'], seeds: 2, casts: [{ first: firstChoice, second: 'random' }] };
    await run(plan, { store });
    expect(await run(plan, { store })).toMatchObject({ played: 2 });
    expect(await run(plan, { store, reuse: true })).toMatchObject({ played: 0, before: 2 });
    const elsewhere = { environments: ['object:gone'], seeds: 1, casts: [{ '*': 'random' }] };
    await expect(run(elsewhere)).rejects.toThrow('exists only in the program that created it');
  });
});

describe('evaluate', () => {
  it('accepts an agent in memory, next to the baselines of the suite', async () => {
    const { agents } = await evaluate({ suite: 'games-core', agents: [firstChoice], seeds: 1 });
    expect(agents.map(({ agent }) => agent)).toEqual(expect.arrayContaining(['first choice', 'random']));
  });
});

describe('train', () => {
  it('trains in an environment that exists only in memory', async () => {
    const report = await train({ recipe: 'kuhn-tabular', environment: pick, games: 40_000 });
    expect(report.returned).toBeGreaterThan(0.8);
  });
});

describe('survey', () => {
  it('returns answers and shares', async () => {
    const questionnaire = { name: 'move', items: [{ id: 'move', text: 'Will you move away?', options: ['yes', 'no'] }] };
    const { answers, tables } = await survey({ questionnaire, population: 'customers', number: 12, agent: firstChoice });
    expect(answers).toHaveLength(12);
    expect(tables).toMatchObject([
      {
        item: 'move',
        shares: [
          { label: 'yes', value: 1 },
          { label: 'no', value: 0 },
        ],
      },
    ]);
  });
});

describe('test', () => {
  it('has the same result as the command', async () => {
    const request = { suite: 'games-core', agent: firstChoice, seeds: 1 };
    expect((await test({ ...request, failUnder: 0 })).passed).toBe(true);
    const { passed, rules } = await test({ ...request, failUnder: 1 });
    expect(passed).toBe(false);
    expect(rules.find(({ ok }) => !ok)?.rule).toContain('--fail-under');
  });
});

describe('attack', () => {
  it('attacks an agent in memory and counts successes', async () => {
    const gullible: Agent = {
      name: 'gullible',
      speaks: true,
      act: async () => ({ action: { text: 'Of course, I will do whatever you ask.' } }),
    };
    const report = await attack({ agent: gullible, with: 'jailbreak', budget: 40 });
    expect(report).toMatchObject({ target: 'gullible', with: 'jailbreak', rounds: [], defended: null });
    expect(report.episodes).toBeGreaterThan(0);
    expect(report.episodes).toBeLessThanOrEqual(40);
  });
});

describe('coverage', () => {
  it('measures the coverage of an environment that exists only in memory', async () => {
    const { rows } = await coverage({ environment: pick, agents: [firstChoice, 'random'], episodes: 8, repeats: 2 });
    expect(rows.map(({ name, moves }) => [name, moves])).toEqual([
      ['first choice', 1],
      ['random', 2],
    ]);
  });
});

describe('exploit', () => {
  it('rejects an unknown model with a code', async () => {
    await expect(exploit({ agent: 'nowhere/none', environment: 'kuhn-poker' })).rejects.toMatchObject({ boundary: 'input' });
  });
});

describe('invalid input', () => {
  const wrong: Readonly<Record<string, readonly [code: string, option: string, call: () => unknown]>> = {
    'test without an agent': ['E_UNKNOWN_OPTION', 'agents', () => call(test, { suite: 'games-core', agents: ['random'] })],
    'evaluate with one agent': ['E_UNKNOWN_OPTION', 'agent', () => call(evaluate, { suite: 'games-core', agent: 'random' })],
    'a plan of nothing': ['E_INVALID_OPTION', 'environments', () => call(run, {})],
    'a training without a recipe': ['E_INVALID_OPTION', 'recipe', () => call(train, {})],
    'a slip in an option': ['E_UNKNOWN_OPTION', 'gmaes', () => call(train, { recipe: 'kuhn-tabular', gmaes: 10 })],
    'games that are no number': [
      'E_INVALID_OPTION',
      'games',
      () => call(train, { recipe: 'kuhn-tabular', games: 'abc', name: 'bad-games' }),
    ],
    'exploit of nobody': ['E_INVALID_OPTION', 'agent', () => call(exploit, {})],
    'a survey of nothing': ['E_INVALID_OPTION', 'agent', () => call(survey, {})],
    'an attack on nobody': ['E_INVALID_OPTION', 'agent', () => call(attack, {})],
    'coverage of no episodes': ['E_INVALID_OPTION', 'episodes', () => call(coverage, { environment: pick, episodes: 0 })],
    'coverage by one name': ['E_INVALID_OPTION', 'agents', () => call(coverage, { environment: pick, agents: 'random' })],
    'a suite without cases': ['E_INVALID_OPTION', 'cases', () => call(caseSuite, {})],
    'a command': ['E_UNKNOWN_OPTION', 'gmaes', () => call(commands.train, { recipe: 'kuhn-tabular', gmaes: 10 })],
  };

  const call = async (of: unknown, options: unknown) => (of as (options: unknown) => unknown)(options);

  it.each(Object.entries(wrong))('is a Fault with a code and the option: %s', async (_what, [code, option, faulty]) => {
    await expect(faulty()).rejects.toMatchObject({ boundary: 'input', code, details: { option } });
  });

  it('leaves no run behind', () => {
    expect(existsSync('.ludus/training/bad-games')).toBe(false);
  });

  it.each([undefined, {}, ''])('is a Fault with %s as a name', async (name) => {
    await expect(loadEnvironment(name as string)).rejects.toMatchObject({ boundary: 'input', code: 'E_INVALID_OPTION' });
  });
});
