/** @file Societies: rule-driven people on a network, exact samples of a population, and a survey through a fake model: `npm run bench -- societies`. */

import { createAgentLoader } from '../src/agents/kinds.ts';
import { rng } from '../src/core/index.ts';
import { run } from '../src/engine/run.ts';
import { builtInEnvironment } from '../src/environments/index.ts';
import { makeGraph } from '../src/environments/network/graph.ts';
import { simulateSpread } from '../src/environments/network/spread.ts';
import { customers, samplePopulation } from '../src/personas/index.ts';
import { memoryStore } from '../src/store/index.ts';
import { readAnswers } from '../src/surveys/answers.ts';
import { planSurvey } from '../src/surveys/plan.ts';
import { createAgentServices } from '../src/workspace/agent-services.ts';
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

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const people = Number(flags['people'] ?? 100_000);
  const asked = Number(flags['asked'] ?? 1000);
  const steps = 100;
  const memory = process.memoryUsage().rss;
  const graph = makeGraph('small-world', people, 6, rng(1, 'graph'));
  const [spread, spent] = await seconds(() =>
    simulateSpread(graph, { model: 'si', beta: 0.3, gamma: 0, threshold: 0, key: 7 }, { from: [0], steps }),
  );
  const each = Math.max(0, process.memoryUsage().rss - memory) / people;
  const [, sampled] = await seconds(() => samplePopulation(customers, asked, 1));
  const store = memoryStore();
  const survey = planSurvey({ questionnaire: { items }, population: customers, number: asked, agent: { name: 'fake', kind: 'llm:fake' } });
  const [rows, interviewed] = await seconds(async () => {
    await run(survey.plan, { store, environment: builtInEnvironment, agent: createAgentLoader(createAgentServices(process.cwd())) });
    return readAnswers(survey, store);
  });
  return [
    {
      name: `${people} people, ${spread.steps} steps`,
      value: (people * spread.steps) / spent,
      unit: 'person-steps a CPU second',
      goal: '≥ 100000',
    },
    { name: 'memory of one of them, network included', value: each, unit: 'bytes', goal: '≤ 2048' },
    { name: `${asked} people sampled exactly`, value: sampled, unit: 'CPU s' },
    { name: `${rows.length} answers of ${asked} people through a fake model`, value: interviewed, unit: 'CPU s', goal: '≤ 10' },
  ];
}
