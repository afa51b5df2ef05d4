/**
 * @file Societies: rule-driven people on a network and on a platform, exact samples of a population, a survey through a fake model, and people
 * who wait for a slow one: `npm run bench -- societies [--people=100000] [--asked=1000] [--at-once=64,128]`.
 */

import '@ludus-agents/servers/internal/kinds';
import { cpus, loadavg } from 'node:os';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { customers, samplePopulation } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { makeGraph } from '@ludus-agents/societies/internal/network/graph';
import { advancePlatform, type PlatformWorld, seedPlatform } from '@ludus-agents/societies/internal/network/platform-rules';
import { simulateSpread, throwAt } from '@ludus-agents/societies/internal/network/spread';
import { readAnswers } from '@ludus-agents/societies/internal/surveys/answers';
import { planSurvey } from '@ludus-agents/societies/internal/surveys/plan';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

async function seconds<T>(work: () => T | Promise<T>): Promise<readonly [T, number]> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1e6];
}

const items = Array.from({ length: 10 }, (_, i) => ({
  id: `q${i}`,
  kind: 'scale',
  text: `Statement ${i}.`,
  options: ['no', 'rather no', 'neither', 'rather yes', 'yes'],
}));

/** Opinions, posts and follows of many people, step by step; gives the CPU seconds and the bytes of one person. */
async function playPlatform(people: number, steps: number): Promise<{ readonly spent: number; readonly each: number }> {
  const memory = process.memoryUsage().rss;
  const { offsets, targets } = makeGraph('small-world', people, 6, rng(1, 'graph'));
  const everybody = Array.from({ length: people }, (_, person) => person);
  let world: PlatformWorld = {
    opinion: everybody.map((person) => 2 * throwAt(7, -1, person) - 1),
    follows: everybody.map((person) =>
      Array.from({ length: offsets[person + 1] - offsets[person] }, (_, i) => targets[offsets[person] + i]),
    ),
    ...{ belief: everybody.map(() => 0), posts: [], next: 0, passed: [] },
  };
  world = seedPlatform(world, { by: 0, step: 0, subject: 1 });
  const rules = {
    key: 7,
    activity: 0.5,
    recommend: 'following',
    shown: 4,
    confidence: 0.5,
    pull: 0.3,
    post: 0.1,
    reply: 0.1,
    follow: 0.1,
    beta: 0.3,
  } as const;
  const [, spent] = await seconds(() => {
    for (let step = 0; step < steps; step++) world = advancePlatform(world, rules, { step, acts: new Map(), decide: () => false }).world;
  });
  return { spent, each: Math.max(0, process.memoryUsage().rss - memory) / people };
}

/** People played by a model that takes a while, so many at once: the time that the model alone takes, as a share of the time it took. */
async function askSlowly(people: number, atOnce: number): Promise<{ readonly ideal: number; readonly callsPerSecond: number }> {
  const [latency, requestCount] = [200, items.length];
  const questionnaire = { refusal: false, items };
  const survey = planSurvey({ questionnaire, population: customers, number: people, agent: { name: 'slow', kind: 'llm:slow' } });
  const model = fakeModel({ answers: ['[1]'], latency: { mean: latency, spread: 0 } });
  const agent = createAgentLoader({ ...createAgentServices(process.cwd(), Trust.commandLine), model: async () => model });
  const began = performance.now();
  const [, spent] = await seconds(() =>
    run(survey.plan, { store: memoryStore(), environment: builtInEnvironment, agent, concurrency: atOnce }),
  );
  const took = performance.now() - began;
  return { ideal: (Math.ceil((people * requestCount) / atOnce) * latency) / took, callsPerSecond: (people * requestCount) / spent };
}

/** The figure by the clock means nothing where others have the machine. */
function loadNote(): { readonly note: string } | null {
  const [load] = loadavg() as [number, number, number];
  return load > cpus().length ? { note: `the machine was busy: ${load.toFixed(1)} processes for ${cpus().length} cores` } : null;
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const people = sizeOf(flags, 'people', 100_000, 200);
  const size = sizeOf(flags, 'asked', 1000, 4);
  const steps = 100;
  const memory = process.memoryUsage().rss;
  const graph = makeGraph('small-world', people, 6, rng(1, 'graph'));
  const [spread, spent] = await seconds(() =>
    simulateSpread(graph, { model: 'si', beta: 0.3, gamma: 0, threshold: 0, key: 7 }, { from: [0], steps }),
  );
  const each = Math.max(0, process.memoryUsage().rss - memory) / people;
  const [, sampled] = await seconds(() => samplePopulation(customers, size, 1));
  const store = memoryStore();
  const survey = planSurvey({ questionnaire: { items }, population: customers, number: size, agent: { name: 'fake', kind: 'llm:fake' } });
  const [rows, interviewed] = await seconds(async () => {
    await run(survey.plan, {
      store,
      environment: builtInEnvironment,
      agent: createAgentLoader(createAgentServices(process.cwd(), Trust.commandLine)),
    });
    return readAnswers(survey, store);
  });
  const platformSteps = 10;
  const platform = await playPlatform(people, platformSteps);
  const slow: Figure[] = [];
  for (const atOnce of String(flags['at-once'] ?? (flags['smoke'] === true ? 4 : 64))
    .split(',')
    .map(Number)) {
    const { ideal, callsPerSecond } = await askSlowly(size, atOnce);
    slow.push(
      {
        name: `${size} people of a model of 200 ms, ${atOnce} at once`,
        value: 100 * ideal,
        unit: '% of ideal',
        goal: '≥ 95',
        ...loadNote(),
      },
      { name: `model calls that one process can serve, ${atOnce} at once`, value: callsPerSecond, unit: 'a CPU second' },
    );
  }
  return [
    {
      name: `${people} people on a platform, ${platformSteps} steps`,
      value: (people * platformSteps) / platform.spent,
      unit: 'person-steps a CPU second',
      goal: '≥ 100000',
    },
    { name: 'memory of one of them, posts included', value: platform.each, unit: 'bytes', goal: '≤ 2048' },
    ...slow,
    {
      name: `${people} people, ${spread.steps} steps`,
      value: (people * spread.steps) / spent,
      unit: 'person-steps a CPU second',
      goal: '≥ 100000',
    },
    { name: 'memory of one of them, network included', value: each, unit: 'bytes', goal: '≤ 2048' },
    { name: `${size} people sampled exactly`, value: sampled, unit: 'CPU s' },
    { name: `${rows.length} answers of ${size} people through a fake model`, value: interviewed, unit: 'CPU s', goal: '≤ 10' },
  ];
}
