/** @file Ways to spend: who calls a model, under which budget. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { type ModelOf, type ModelsOptions, modelsWith } from '@ludus-agents/agents/internal/models/index';
import { routed } from '@ludus-agents/agents/internal/models/routed';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { JudgeClient } from '@ludus-agents/evaluation/internal/scoring/judges/ask';
import type { Allowance, Model, Sampling, WorkerSpending } from '@ludus-agents/kernel/internal/core/index';
import { BudgetCounter, rng, withBudget } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { reflectWith } from '@ludus-agents/learning/internal/prompts/proposers/reflect';
import { enqueuePlan } from '@ludus-agents/servers/internal/fleet/enqueue-plan';
import { Worker } from '@ludus-agents/servers/internal/fleet/worker';
import { walletOf } from '@ludus-agents/servers/internal/studio/budget';
import { memoryStore, openSharedStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, expect } from 'vitest';
import { type Failure, price, type SpendingServer, startSpendingServer } from './spending-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-budgets-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let madeCount = 0;
export const fresh = (name: string) => join(directory, `${madeCount++}-${name}`);

interface Stage {
  readonly server: SpendingServer;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly models: (options?: ModelsOptions) => ModelOf;
  readonly failure: Failure;
}

/** Spends as much as it is let, and says what it believes to have spent. */
type SetUp = { readonly budget: Allowance; spend(stage: Stage, budget: Allowance): Promise<WorkerSpending> };

const sixty = Array.from({ length: 60 }, (_, i) => i);

/** Sixty calls, so many at once. One that will never be answered is called off when the server has it. */
export async function burst(
  stage: Stage,
  model: Model,
  { lanes = 1, sampling = { maxTokens: 50 } as Sampling, streamed = false } = {},
): Promise<void> {
  const controllers = new Map<number, AbortController>();
  stage.server.onHang = (mark) => controllers.get(mark)?.abort();
  const todo = sixty.values();
  const lane = async () => {
    for (const i of todo) {
      const controller = new AbortController();
      controllers.set(i, controller);
      const prompt = { messages: [{ role: 'user' as const, content: `${'A long question. '.repeat(i % 7)}#${i}` }] };
      await model.complete(prompt, sampling, controller.signal, streamed ? () => {} : undefined).catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

const alone =
  (lanes: number, more: { sampling?: Sampling; streamed?: boolean } = {}, options: ModelsOptions = {}): SetUp['spend'] =>
  async (stage, budget) => {
    const purse = new BudgetCounter(budget);
    await burst(stage, await stage.models({ ...options, budget: purse })(stage.name), { lanes, ...more });
    return purse.spent;
  };

export const planFor = (name: string, budget: Allowance, id: string) =>
  readPlan({
    name: id,
    environments: ['kuhn-poker'],
    seeds: 40,
    budget: { ...budget },
    casts: [{ '*': { name: 'L', kind: 'llm', model: name, settings: budget.calls === undefined ? {} : { maxTokens: 64 } } }],
  });

const played =
  (concurrency: number): SetUp['spend'] =>
  async (stage, budget) => {
    const stop = new AbortController();
    stage.server.onHang = () => stop.abort();
    const agent = createAgentLoader({ model: stage.models() });
    const report = await run(planFor(stage.name, budget, 'played'), {
      store: memoryStore(),
      environment: builtInEnvironment,
      agent,
      concurrency,
      signal: stop.signal,
    });
    return report.spent;
  };

const byWorkers =
  (workers: number): SetUp['spend'] =>
  async (stage, budget) => {
    const where = fresh('fleet.db');
    const all = await Promise.all(Array.from({ length: workers }, () => openSharedStore(where)));
    const [first] = all as [(typeof all)[0]];
    const stop = new AbortController();
    stage.server.onHang = () => stop.abort();
    await enqueuePlan(planFor(stage.name, budget, 'fleet'), { sharedStore: first, environment: builtInEnvironment });
    const working = all.map((sharedStore) =>
      new Worker({
        sharedStore,
        environment: builtInEnvironment,
        services: { model: stage.models() },
        concurrency: 4,
        untilEmpty: true,
        grace: 0,
      }).run(stop.signal),
    );
    await Promise.all(working);
    const { spent } = await first.ledger.account('fleet');
    await Promise.all(all.map((sharedStore) => sharedStore.close()));
    return spent;
  };

/** Whatever calls models within `use`, without knowing of a budget. */
const around =
  (
    use: (stage: Stage, model: Model, mark: (text: string) => { content: string; signal: AbortSignal }) => Promise<unknown>,
  ): SetUp['spend'] =>
  async (stage, budget) => {
    const outer = new BudgetCounter(budget);
    const purse = new BudgetCounter({}, { parent: outer });
    const controllers = new Map<number, AbortController>();
    stage.server.onHang = (mark) => controllers.get(mark)?.abort();
    const mark = (text: string) => {
      const controller = new AbortController();
      controllers.set(controllers.size, controller);
      return { content: `${text} #${controllers.size - 1}`, signal: controller.signal };
    };
    const model = await stage.models()(stage.name);
    await withBudget(purse, () => use(stage, model, mark));
    expect(purse.spent).toEqual(outer.spent);
    return outer.spent;
  };

export const setUps: Readonly<Record<string, SetUp>> = {
  'one after another, calls': { budget: { calls: 20 }, spend: alone(1) },
  'one after another, tokens': { budget: { tokens: 5000 }, spend: alone(1) },
  'one after another, money': { budget: { money: 3 }, spend: alone(1) },
  'eight at once, calls': { budget: { calls: 20 }, spend: alone(8) },
  'eight at once, tokens': { budget: { tokens: 5000 }, spend: alone(8) },
  'eight at once, money': { budget: { money: 3 }, spend: alone(8) },
  'sixty-four at once, tokens': { budget: { tokens: 5000 }, spend: alone(64, {}, { pace: { concurrency: 64 } }) },
  'sixty-four at once, money': { budget: { money: 3 }, spend: alone(64, {}, { pace: { concurrency: 64 } }) },
  'sixty-four at once, calls': { budget: { calls: 20 }, spend: alone(64, {}, { pace: { concurrency: 64 } }) },
  'without a limit for answers': { budget: { tokens: 20_000 }, spend: alone(8, { sampling: {} }) },
  'retried six times': { budget: { money: 3 }, spend: alone(8, {}, { retries: { tries: 6, first: 0 } }) },
  streamed: { budget: { tokens: 5000 }, spend: alone(8, { streamed: true }) },
  cached: {
    budget: { tokens: 5000 },
    spend: async (stage, budget) => {
      const purse = new BudgetCounter(budget);
      const model = await stage.models({ budget: purse, cache: fresh('answers') })(stage.name);
      await burst(stage, model, { lanes: 8 });
      await burst(stage, model, { lanes: 8 });
      return purse.spent;
    },
  },
  'a run, one episode at once, calls': { budget: { calls: 7 }, spend: played(1) },
  'a run, eight episodes at once, tokens': { budget: { tokens: 40_000 }, spend: played(8) },
  'a run, sixty-four episodes at once, money': { budget: { money: 60 }, spend: played(64) },
  'one worker, tokens': { budget: { tokens: 40_000 }, spend: byWorkers(1) },
  'four workers, money': { budget: { money: 60 }, spend: byWorkers(4) },
  'four workers, calls': { budget: { calls: 9 }, spend: byWorkers(4) },
  'a judge': {
    budget: { money: 3 },
    spend: around(async (_, model, mark) => {
      const desk = new JudgeClient({ model, retries: 2, sampling: { maxTokens: 50 } });
      const ask = ({ content, signal }: ReturnType<typeof mark>) =>
        desk.ask([{ role: 'user', content }], () => ({ ok: false, problem: 'it cannot be read' }), signal).catch(() => {});
      await Promise.all(sixty.map((i) => ask(mark(`Judge episode ${i}.`))));
    }),
  },
  'a proposer': {
    budget: { tokens: 12_000 },
    spend: around(async (_, model, mark) => {
      const texts = { instruction: mark('Play well.').content };
      for (const i of sixty) {
        const { signal, content } = mark('');
        const round = { rng: rng(i), components: ['texts.instruction'], many: 1, edits: 1, tried: [], paid: () => {} };
        const spec = { name: 'a', kind: 'llm', texts: { ...texts, instruction: content } };
        await reflectWith({ model: endingWith(model, content), maxTokens: 50 })
          .improver(round)
          .improve(spec, [], signal)
          .catch(() => {});
      }
    }),
  },
  'routed, a budget within a budget': {
    budget: { money: 3 },
    spend: around(async (stage, model) => {
      await routed('episode-1', () => burst(stage, model, { lanes: 8 }));
    }),
  },
  'the studio': {
    budget: { money: 3 },
    spend: async (stage, budget) => {
      const place = { cwd: fresh('studio'), env: stage.env };
      const studioBudget = walletOf(place);
      studioBudget.allow({ ...budget });
      await burst(stage, await studioBudget.modelOf(stage.name), { lanes: 8 });
      return studioBudget.spent;
    },
  },
};

/** The server finds out whom to call off by what a prompt ends in. */
function endingWith(model: Model, mark: string): Model {
  return {
    ...model,
    complete: ({ messages, ...rest }, ...more) =>
      model.complete({ ...rest, messages: messages.map((message) => ({ ...message, content: `${message.content}${mark}` })) }, ...more),
  };
}

export async function onStage<T>(failure: Failure, use: (stage: Stage) => Promise<T>, status = 500): Promise<T> {
  const server = await startSpendingServer({ failure, status });
  const name = `${server.url}#m`;
  const prices = fresh('prices.json');
  writeFileSync(prices, JSON.stringify({ [name]: price }));
  const env = { LUDUS_PRICES: prices };
  const models = (options: ModelsOptions = {}) => modelsWith({ env, warn: () => {}, retries: { tries: 3, first: 0 }, ...options });
  try {
    return await use({ server, name, env, models, failure });
  } finally {
    server.close();
  }
}
