/** @file Estimates against what a run really makes: over random plans, episodes are exact and calls lie within their bounds. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { modelsWith } from '@ludus-agents/agents/internal/models/index';
import { setEndpoints } from '@ludus-agents/agents/internal/models/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { loadPlanTasks, readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../test/fixtures/amount.ts';
import { json, scriptedServer } from '../../../test/fixtures/scripted-server.ts';
import { estimatePlan, pricesOf } from './estimate.ts';

const agents = createAgentServices(process.cwd(), Trust.commandLine);

const environments = ['kuhn-poker', 'dilemma', 'tic-tac-toe'] as const;

function randomPlan(dice: Rng): Json {
  const agent = (): Json =>
    dice.pick<Json>(['random', 'llm:fake', { name: `A${dice.int(1000)}`, kind: 'llm', model: 'fake' }, { name: 'B', kind: 'random' }]);
  return {
    environments: dice.shuffle([...environments]).slice(0, 1 + dice.int(2)),
    seeds: dice.pick<Json>([1 + dice.int(4), [5, 9, 5], { from: 7, count: 3 }]),
    casts: Array.from({ length: 1 + dice.int(9) }, () => ({ '*': agent() })),
    swap: dice.int(2) === 0,
  };
}

const playing = async (input: Json) => {
  const plan = readPlan(input);
  const sheet = await loadPlanTasks(plan, builtInEnvironment);
  const estimate = await estimatePlan(plan, sheet, { agents, store: null, env: {} });
  const report = await run(plan, {
    store: memoryStore(),
    environment: builtInEnvironment,
    agent: createAgentLoader({ model: modelsWith({ env: {} }) }),
  });
  return { estimate, report };
};

describe('an estimate', () => {
  it('predicts the exact number of episodes and bounds the calls, over random plans', async () => {
    for (let seed = 0; seed < amount(10, 25); seed++) {
      const { estimate, report } = await playing(randomPlan(rng(seed, 'plans')));
      expect({ seed, episodes: estimate.episodes }).toEqual({ seed, episodes: report.played });
      expect(report.spent.calls).toBeGreaterThanOrEqual(estimate.calls.low);
      expect(report.spent.calls).toBeLessThanOrEqual(estimate.calls.high);
    }
  });

  it('is as accurate for twelve casts as for a few', async () => {
    const casts = Array.from({ length: 12 }, (_, i) => ({
      '*': { name: `A${i}`, kind: 'llm', model: `fake/[pass]`, texts: { instruction: `Play ${i}.` } },
    }));
    const few = await playing({ environments: ['kuhn-poker'], seeds: 5, casts: casts.slice(0, 6) });
    const many = await playing({ environments: ['kuhn-poker'], seeds: 5, casts });
    expect(many.report.spent.calls).toBe(2 * few.report.spent.calls);
    const ratio = (item: typeof few) => item.estimate.calls.likely / item.report.spent.calls;
    expect(ratio(many)).toBeGreaterThan(ratio(few) * 0.7);
    expect(ratio(many)).toBeLessThan(ratio(few) * 1.3);
    expect(many.estimate.parts.every(({ seen }) => seen > 0)).toBe(true);
  });

  it('simulates casts that differ only in their models once', async () => {
    const casts = ['openai/gpt-5-mini', 'openai/gpt-4.1', 'anthropic/claude-opus-5'].map((model) => ({
      '*': { name: model, kind: 'llm', model },
    }));
    const plan = readPlan({ environments: ['kuhn-poker'], seeds: 5, casts });
    const { parts } = await estimatePlan(plan, await loadPlanTasks(plan, builtInEnvironment), { agents, store: null, env: {} });
    expect(new Set(parts.map(({ calls }) => JSON.stringify(calls))).size).toBe(1);
    expect(new Set(parts.map(({ money }) => money?.likely)).size).toBe(3);
  });

  it('counts only the episodes that the budget allows and that remain', async () => {
    const plan = readPlan({ environments: ['kuhn-poker'], seeds: 50, budget: { episodes: 7 }, casts: [{ '*': 'llm:fake' }] });
    const sheet = await loadPlanTasks(plan, builtInEnvironment);
    expect((await estimatePlan(plan, sheet, { agents, store: null, env: {} })).episodes).toBe(7);
    expect((await estimatePlan(plan, sheet, { agents, store: null, env: {}, ended: 47 })).episodes).toBe(3);
  });
});

describe('the price of an endpoint', () => {
  it('determines costs and estimates, unless a configured price overrides it, and may be unknown', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    const choice = { index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' };
    const server = await scriptedServer((response, observation, socket) =>
      json(observation.url.endsWith('/chat/completions') ? 200 : 404, { choices: [choice], usage })(response, observation, socket),
    );
    const price = { prompt: 100, completion: 200 };
    setEndpoints({ mine: { url: server.url, price }, other: { url: server.url } });
    const costOf = async (name: string, ownEntry = {}) => {
      const model = await modelsWith({ env: {}, prices: ownEntry })(name);
      return (await model.complete({ messages: [{ role: 'user', content: 'So?' }] }, {}, new AbortController().signal)).cost;
    };
    expect(await costOf('mine/tiny')).toBeCloseTo(0.0007, 12);
    expect(await costOf('mine/tiny', { 'mine/tiny': { prompt: 0, completion: 1 } })).toBeCloseTo(2e-6, 12);
    expect(await costOf('other/tiny')).toBeNull();
    expect(Object.fromEntries(await pricesOf(['mine/tiny', 'other/tiny', 'fake'], {}))).toMatchObject({
      'mine/tiny': price,
      'other/tiny': null,
    });
    setEndpoints({});
    await server.close();
  });
});
