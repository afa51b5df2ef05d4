/** @file Parts of an agent switched off one at a time: each part that is needed is missed, one that is not is not, and both are counted. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { moduleNames, pipelineNames } from '@ludus-agents/agents/internal/team/pipelines';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { ablate } from '@ludus-agents/evaluation/internal/ablation';
import { ablationArms } from '@ludus-agents/evaluation/internal/ablation-arms';
import { crossoverOf } from '@ludus-agents/evaluation/internal/crossover';
import type { AgentSpec, Json, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { vault } from '../../../../benchmarks/_vault.ts';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

/** A mind that can do one thing at a time: it finds a digit only when it is asked for that digit alone, and knows only what it has said. */
const narrow = fakeModel({
  id: 'fake/narrow',
  price: { prompt: 1, completion: 1 },
  answers(prompt: Prompt): string {
    const all = prompt.messages.map(({ content }) => String(content)).join('\n');
    const text = prompt.messages.flatMap(({ role, content }) => (role === 'assistant' ? [String(content)] : [])).join('\n');
    const code = /The code is (\d)(\d)(\d)\./.exec(all)!;
    const wanted = [...all.matchAll(/Find digit (\d)\.|Rest\.|Name the code\./g)].at(-1)!;
    if (wanted[1] !== undefined) return `Found: digit ${wanted[1]} is ${code[Number(wanted[1])]}`;
    if (wanted[0] === 'Rest.') return 'Found: nothing';
    return `Answer: ${[1, 2, 3].map((place) => new RegExp(`digit ${place} is (\\d)`).exec(text)?.[1] ?? 4).join('')}`;
  },
});

const modules = [
  ...[1, 2, 3].map((place) => ({ name: `digit ${place}`, tell: `Find digit ${place}.` })),
  { name: 'rest', tell: 'Rest.' },
  { name: 'act', tell: 'Name the code.' },
];
const solver: AgentSpec = {
  name: 'solver',
  kind: 'team',
  settings: {
    members: [{ name: 'mind', kind: 'llm', model: 'fake/narrow', texts: { instruction: 'The code is 231.' } }],
    modules: modules as unknown as Json,
  },
};

it('ablation shows that a pipeline needs each module except an idle one, and counts both', async () => {
  const store = memoryStore();
  const load = createAgentLoader({ model: async () => narrow, environment: builtInEnvironment });
  const request = { spec: solver, environment: 'vault', tasks: [{ code: '231', tries: 1 }], seat: 'opener', others: {}, games: 6, seed: 1 };
  const { arms } = await ablate(request, {
    store,
    perform: (plan) => run(plan, { store, environment: async () => vault, agent: load }),
  });
  const rows = arms.map(({ arm, mean, gained, lost, same, calls, flips }) => [arm, mean, gained, lost, same, calls, flips.length]);
  expect(rows).toEqual([
    ['whole', 1, 0, 0, 6, 5, 0],
    ['without digit 1', 0, 0, 6, 0, 4, 6],
    ['without digit 2', 0, 0, 6, 0, 4, 6],
    ['without digit 3', 0, 0, 6, 0, 4, 6],
    ['without rest', 1, 0, 0, 6, 4, 0],
  ]);
  expect(arms[1]).toMatchObject({
    p: expect.closeTo(1 / 32),
    difference: { mean: -1 },
    flips: [{ seed: 1, whole: 1, arm: 0 }, {}, {}, {}, {}, {}],
  });
  expect(arms[4]!.money!).toBeLessThan(arms[0]!.money!);
});

it('ablation removes the parts of a search strategy, and the tool management of a language agent', () => {
  const search = (strategy: string): AgentSpec => ({ name: 's', kind: 'search', settings: { strategy, judge: 'llm:fake' } });
  const namesOf = (spec: AgentSpec) => ablationArms(spec).map(({ name }) => name.slice('without '.length));
  expect(namesOf(search('webdreamer'))).toEqual(['imagine']);
  expect(namesOf(search('r-mcts'))).toEqual(['reflections', 'judging', 'structure', 'judge']);
  const settings = { architecture: 'react', toolMode: 'hybrid', toolRemoval: 'model', toolPlan: true, digests: true, toolWindow: 5 };
  expect(namesOf({ name: 'a', kind: 'llm', settings })).toEqual(['toolMode', 'toolRemoval', 'toolWindow', 'toolPlan', 'digests']);
});

it('ablation has an arm per team member except the lead, per part, and for thinking', () => {
  const team: AgentSpec = {
    name: 't',
    kind: 'team',
    settings: { members: ['random', 'scripted', 'llm:a/b'], links: [['scripted', 'random']] },
  };
  expect(ablationArms(team).map(({ name }) => name)).toEqual(['without scripted', 'without llm a/b']);
  expect(ablationArms(team)[0]!.spec.settings).toEqual({ members: ['random', 'llm:a/b'], links: [] });
  const agent: AgentSpec = {
    ...{ name: 'a', kind: 'llm', notes: ['n'], tools: ['sandbox'], texts: { instruction: 'x' } },
    settings: { memory: 'generative', plan: true, architecture: 'react' },
  };
  const arms = ablationArms(agent, { thinking: true });
  expect(arms.map(({ name }) => name)).toEqual([
    ...['without memory', 'without plan', 'without tool sandbox', 'without notes', 'without text instruction'],
    ...['thinking off', 'thinking high'],
  ]);
  expect(arms.at(-1)!.spec.settings).toMatchObject({ reasoning: 'high' });
  expect(ablationArms(team, { thinking: true }).at(-1)!.spec.settings).toMatchObject({
    members: [{}, {}, { kind: 'llm:a/b', settings: { reasoning: 'high' } }],
  });
});

it('every named pipeline plays, complete and without any of its modules', async () => {
  const load = createAgentLoader({ model: async () => fakeModel({ answers: ['Answer: 111'] }), environment: builtInEnvironment });
  for (const pipeline of pipelineNames) {
    const spec = (off: readonly string[]): AgentSpec => ({ name: 'p', kind: 'team', settings: { members: ['llm:fake'], pipeline, off } });
    const names = moduleNames({ pipeline, modules: undefined });
    expect(names.length).toBeGreaterThan(0);
    for (const off of [[], ...names.map((name) => [name])]) expect((await load(spec(off), 'opener', vault)).name).toBe('p');
    await expect(load(spec(['act']), 'opener', vault)).rejects.toThrow(/"act" gives the answer/);
  }
});

it('ludus improve ablate plays the arms of a file and stores them', async () => {
  const here = folder();
  const team = { name: 'duo', kind: 'team', settings: { protocol: 'in-order', members: ['scripted:minimax', 'random'] } };
  writeFileSync(join(here, 'duo.json'), JSON.stringify(team));
  const words = ['improve', 'ablate', './duo.json', '--on', 'tic-tac-toe', '--against', 'random', '--games', '3'];
  const { code, out, err } = await ludus(here, [...words, '--json']);
  expect(code, err).toBe(0);
  const { arms } = JSON.parse(out) as { arms: readonly { readonly arm: string; readonly episodes: number }[] };
  expect(arms.map(({ arm, episodes }) => [arm, episodes])).toEqual([
    ['whole', 3],
    ['without random', 3],
  ]);
  expect((await ludus(here, words)).out).toContain('without random');
  expect((await ludus(here, ['improve', 'ablate', 'random', '--on', 'tic-tac-toe'])).err).toContain('has no component to switch off');
});

it('crossoverOf finds the simulator error at which reflexes are equally good, or none', async () => {
  // One step ahead over values that are wrong so often, against a random opponent, less reflexes (.8825): known exactly.
  const worth = [0.9678, 0.9093, 0.8486, 0.7858];
  const points = worth.map((value, i) => ({ error: i / 10, difference: value - 0.8825, low: value - 0.9, high: value - 0.86 }));
  const { at, low, high } = crossoverOf(points);
  expect([at, low, high].map((item) => item?.toFixed(2))).toEqual(['0.14', '0.12', '0.18']);
  expect(crossoverOf(points.slice(0, 2)).at).toBeNull();
  expect(crossoverOf(points.slice(3)).at).toBe(0.3);
  const cwd = folder();
  writeFileSync(
    join(cwd, 'search.json'),
    JSON.stringify({ name: 'deep', kind: 'search', settings: { strategy: 'best-of-n', simulations: 36 } }),
  );
  const words = [
    'improve',
    'ablate',
    './search.json',
    '--on',
    'tic-tac-toe',
    '--against',
    'random',
    '--games',
    '2',
    '--reflex',
    'scripted:lookahead',
  ];
  const outcome = await ludus(cwd, words);
  expect(outcome.out).toMatch(/error 0\.3[\s\S]*Search is (?:not )?better than scripted:lookahead/);
  const { crossover } = JSON.parse((await ludus(cwd, [...words, '--json'])).out);
  expect(crossover.points.map(({ error }: { error: number }) => error)).toEqual([0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1]);
  writeFileSync(join(cwd, 'plain.json'), JSON.stringify({ name: 'plain', kind: 'random' }));
  expect((await ludus(cwd, ['improve', 'ablate', './plain.json', ...words.slice(3)])).err).toContain(
    '--reflex needs an agent of the kind "search", but',
  );
});

it('ablation spends the calls of a mechanism on more attempts of the search without it, if asked to', async () => {
  const store = memoryStore();
  const judge = fakeModel({ id: 'fake/judge', answers: ['Score: 5. It looks fine.'] });
  const load = createAgentLoader({ model: async () => judge, environment: builtInEnvironment });
  const settings = { strategy: 'swe-search', simulations: 2, judge: 'llm:fake/judge' };
  const spec: AgentSpec = { name: 'deep', kind: 'search', settings };
  const request = {
    spec,
    environment: 'tic-tac-toe',
    tasks: [{}],
    seat: 'X',
    others: { O: 'random' },
    games: 2,
    seed: 1,
    only: ['debate'],
  };
  const callsOf = async (equalCalls: boolean) => {
    const perform = (plan: Parameters<typeof run>[0]) => run(plan, { store, environment: builtInEnvironment, agent: load });
    const { arms } = await ablate({ ...request, equalCalls }, { store, perform });
    return arms.map(({ calls }) => calls);
  };
  const [whole = 0, without = 0] = await callsOf(false);
  expect(without).toBeLessThan(whole / 2);
  const [, equal = 0] = await callsOf(true);
  expect(equal).toBeGreaterThan(whole * 0.7);
});
