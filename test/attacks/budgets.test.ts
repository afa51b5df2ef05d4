/**
 * @file Budgets against a server that counts for itself: in every set-up and for every way to fail, it has spent no more than was allowed, and
 * what is reported is no less than what it has spent.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { anthropicDialect } from '@ludus-agents/agents/internal/models/dialects/anthropic';
import { nothingHeard } from '@ludus-agents/agents/internal/models/dialects/dialect';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { ModelFault } from '@ludus-agents/agents/internal/models/fault';
import { modelsWith } from '@ludus-agents/agents/internal/models/index';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { usageOf } from '@ludus-agents/kernel/internal/core/budget-counter';
import type { BudgetFault, Model, ModelCall, WorkerSpending } from '@ludus-agents/kernel/internal/core/index';
import { BudgetCounter, promptBound, rng } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { enqueuePlan } from '@ludus-agents/servers/internal/fleet/enqueue-plan';
import { Worker } from '@ludus-agents/servers/internal/fleet/worker';
import { memoryStore, openSharedStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { burst, fresh, onStage, planFor, setUps } from './budget-set-ups.ts';

describe('budgets', () => {
  for (const [what, { budget, spend }] of Object.entries(setUps))
    for (const failure of ['error', 'hang', 'uncounted'] as const)
      it(`are not exceeded (${what}) when ${{ error: 'calls fail', hang: 'calls hang and are canceled', uncounted: 'tokens are not counted' }[failure]}`, async () => {
        // The studio waits between retries as servers like it; a refused request is not tried again.
        const { spent, reported } = await onStage(
          failure,
          async (stage) => ({ reported: await spend(stage, budget), spent: stage.server.spent }),
          what === 'the studio' ? 400 : 500,
        );
        expect(spent.calls).toBeGreaterThan(0);
        for (const part of ['calls', 'tokens', 'money'] as const) {
          expect(spent[part]).toBeLessThanOrEqual((budget[part] ?? Infinity) * (1 + 1e-9));
          expect(reported[part]).toBeLessThanOrEqual((budget[part] ?? Infinity) * (1 + 1e-9));
          expect(reported[part]).toBeGreaterThanOrEqual(spent[part] * (1 - 1e-9));
        }
      });

  const ways = {
    'are refused with 429': ['error', 429],
    'are cut off in the middle': ['cut', 500],
    'report less than nothing': ['negative', 500],
    'report counts that are not numbers': ['absurd', 500],
  } as const;
  const subset = [
    'eight at once, tokens',
    'eight at once, calls',
    'a run, eight episodes at once, tokens',
    'a judge',
    'a proposer',
  ] as const;
  for (const [how, [failure, status]] of Object.entries(ways))
    for (const what of subset)
      it(`are not exceeded (${what}) when calls ${how}`, async () => {
        const { budget, spend } = setUps[what]!;
        const { spent, reported } = await onStage(
          failure,
          async (stage) => ({ reported: await spend(stage, budget), spent: stage.server.spent }),
          status,
        );
        expect(spent.calls).toBeGreaterThan(0);
        for (const part of ['calls', 'tokens', 'money'] as const) {
          expect(spent[part]).toBeLessThanOrEqual((budget[part] ?? Infinity) * (1 + 1e-9));
          expect(reported[part]).toBeGreaterThanOrEqual(spent[part] * (1 - 1e-9));
        }
      });

  it('are what limits spending: without them, the same calls exceed each limit', async () => {
    const spent = await onStage('error', async (stage) => {
      await burst(stage, await stage.models()(stage.name), { lanes: 8 });
      return stage.server.spent;
    });
    expect(spent.calls).toBeGreaterThan(20);
    expect(spent.tokens).toBeGreaterThan(5000);
    expect(spent.money).toBeGreaterThan(3);
  });
});

describe('a server that uses more tokens than requested', () => {
  it('is charged in full and not called again', async () => {
    await onStage('beyond', async (stage) => {
      const stops: BudgetFault[] = [];
      const purse = new BudgetCounter({ tokens: 20_000 }, { onStop: (fault) => stops.push(fault) });
      await burst(stage, await stage.models({ budget: purse })(stage.name));
      expect(stops[0]?.message).toContain(', so no budget can be enforced. All tokens');
      expect(purse.spent.tokens).toBe(stage.server.spent.tokens);
      expect(purse.spent.calls).toBe(stage.server.spent.calls);
      expect(stage.server.spent.calls).toBeLessThan(20);
    });
  });

  it('stops a run with an explanation, with and without workers', async () => {
    await onStage('beyond', async (stage) => {
      const plan = planFor(stage.name, { tokens: 400_000 }, 'beyond');
      const report = await run(plan, {
        store: memoryStore(),
        environment: builtInEnvironment,
        agent: createAgentLoader({ model: stage.models() }),
        concurrency: 1,
      });
      expect(report).toMatchObject({ stopped: 'tokens', spent: { tokens: stage.server.spent.tokens } });
      expect(report.why).toContain(', so no budget can be enforced. All tokens');
    });
    await onStage('beyond', async (stage) => {
      const sharedStore = await openSharedStore(fresh('beyond.db'));
      await enqueuePlan(planFor(stage.name, { tokens: 400_000 }, 'fleet'), { sharedStore, environment: builtInEnvironment });
      const options = {
        sharedStore,
        environment: builtInEnvironment,
        services: { model: stage.models() },
        concurrency: 1,
        untilEmpty: true,
      };
      await new Worker(options).run(new AbortController().signal);
      const account = await sharedStore.ledger.account('fleet');
      expect(account).toMatchObject({ stopped: 'tokens', spent: { tokens: stage.server.spent.tokens } });
      expect(account.why).toContain(', so no budget can be enforced. All tokens');
      await sharedStore.close();
    });
  });
});

describe('invalid token counts', () => {
  const bound = { model: 'm', tokens: 100, money: 0.5 };
  const call = (promptTokens: number, completionTokens: number, cost: number | null) =>
    ({ model: 'm', usage: { promptTokens, completionTokens }, cost }) as ModelCall;

  it.each([
    [10, -1e9, -5],
    [Number.NaN, 5, 0.1],
    [10, 5, Number.NaN],
    [10, 5, -1],
    [Infinity, 5, null],
  ])('charge the full allowance for %d read, %d written, and %d dollars', (read, written, cost) => {
    expect(usageOf(call(read, written, cost), bound)).toEqual({ tokens: 100, money: 0.5 });
    const counter = new BudgetCounter({ tokens: 1000, money: 1 });
    counter.count(call(read, written, cost));
    expect(counter.tokens).toBeGreaterThanOrEqual(0);
    expect(counter.money).toBeGreaterThanOrEqual(0);
  });

  it('are ignored in a stream of messages', () => {
    for (const written of [-1000, 1.5, '7']) {
      const message = { ...nothingHeard(), usage: { promptTokens: 5, completionTokens: 1 } };
      anthropicDialect.event({ type: 'message_delta', delta: {}, usage: { output_tokens: written } }, message);
      expect(message.usage).toBeUndefined();
    }
  });
});

describe('a model that always fails', () => {
  const broken: Model = {
    ...fakeModel({ id: 'broken', answers: [''] }),
    complete: () => Promise.reject(new ModelFault('broken answered 500: out of order.', { status: 500 })),
  };

  it('stops a run after the maximum number of consecutive failures and reports the cause', async () => {
    const plan = readPlan({ environments: ['kuhn-poker'], seeds: 500, budget: { failures: 7 }, casts: [{ '*': 'llm:broken' }] });
    const report = await run(plan, {
      store: memoryStore(),
      environment: builtInEnvironment,
      agent: createAgentLoader({ model: async () => broken }),
      concurrency: 1,
    });
    expect(report).toMatchObject({ stopped: 'failures', spent: { calls: 7 } });
    expect(report.why).toBe('7 calls of broken in a row failed, so no more are made. The last error: broken answered 500: out of order.');
  });

  it('stops all workers of a run', async () => {
    const sharedStore = await openSharedStore(fresh('failing.db'));
    const plan = readPlan({ name: 'f', environments: ['kuhn-poker'], seeds: 100, budget: { failures: 7 }, casts: [{ '*': 'llm:broken' }] });
    await enqueuePlan(plan, { sharedStore, environment: builtInEnvironment });
    const options = {
      sharedStore,
      environment: builtInEnvironment,
      services: { model: async () => broken },
      concurrency: 1,
      untilEmpty: true,
    };
    await new Worker(options).run(new AbortController().signal);
    const account = await sharedStore.ledger.account('f');
    expect(account).toMatchObject({ stopped: 'failures', spent: { calls: 7 } });
    expect(account.why).toContain('broken answered 500');
    await sharedStore.close();
  });

  it('stops a run even when another model answers', async () => {
    const purse = new BudgetCounter({ failures: 3 });
    const never = new AbortController().signal;
    const ask = (model: string, works: boolean) =>
      purse
        .reserve({ model, tokens: 1, money: 0 }, never)
        .then((reservation) => (works ? reservation.release() : reservation.fail(new Error('no'), false)));
    for (let i = 0; i < 3; i++) {
      await ask('good', true);
      await ask('bad', false);
    }
    await expect(ask('good', true)).rejects.toThrow('3 calls of bad in a row failed');
  });
});

describe('the budget ledger shared by workers', () => {
  const want = (tokens: number): WorkerSpending => ({ calls: 1, tokens, money: 0, unpriced: 0 });
  const nothing: WorkerSpending = { calls: 0, tokens: 0, money: 0, unpriced: 0 };

  it('never grants the same budget twice under concurrency and keeps the reservations of dead workers', async () => {
    const where = fresh('ledger.db');
    const all = await Promise.all(Array.from({ length: 4 }, () => openSharedStore(where)));
    const [first] = all as [(typeof all)[0]];
    await first.ledger.open('r', { tokens: 1000 });
    const stated = { revision: 1, spent: nothing, held: nothing };
    const grants = await Promise.all(
      all.flatMap(({ ledger }, i) => [0, 1].map((j) => ledger.reserve('r', `w${i}${j}`, stated, [want(150), want(150)]))),
    );
    expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(6);
    // None of them was ever heard of again.
    expect(await first.ledger.account('r')).toMatchObject({ spent: { calls: 6, tokens: 900 }, stopped: 'tokens' });
    await Promise.all(all.map((sharedStore) => sharedStore.close()));
  });

  it('counts a repeated reservation once and returns the unused part', async () => {
    const { ledger, close } = await openSharedStore(fresh('again.db'));
    await ledger.open('r', { tokens: 1000, calls: 10 });
    const stated = { revision: 1, spent: nothing, held: nothing };
    for (let i = 0; i < 3; i++) expect(await ledger.reserve('r', 'w', stated, [want(600)])).toMatchObject({ granted: 1, stopped: null });
    const current = { revision: 1, spent: nothing, held: want(600) };
    expect(await ledger.reserve('r', 'w', current, [want(600)])).toMatchObject({ granted: 0, wait: true, stopped: null });
    const settled = { revision: 1, spent: { ...nothing, calls: 1, tokens: 100 }, held: nothing };
    expect(await ledger.reserve('r', 'w', settled, [want(600)])).toMatchObject({ granted: 1, stopped: null });
    await close();
  });
});

describe('the token bound of a prompt', () => {
  it('is at least the number of bytes for any content', () => {
    const dice = rng(3, 'bound');
    for (let i = 0; i < 500; i++) {
      const content = Array.from({ length: dice.int(60) }, () => String.fromCodePoint(1 + dice.int(0xd000))).join('');
      expect(promptBound({ messages: [{ role: 'user', content }] }, {})).toBeGreaterThanOrEqual(Buffer.byteLength(content) + 16);
    }
  });

  it('is reported as the reason for a short answer when no limit was set', async () => {
    const purse = new BudgetCounter({ tokens: 10_000 });
    const model = await modelsWith({ env: {}, budget: purse })(`fake/${'long '.repeat(2000)}`);
    const call = await model.complete({ messages: [{ role: 'user', content: 'x' }] }, {}, new AbortController().signal);
    expect(call.finish).toBe('length');
    expect(call.notes?.join()).toContain('so the answer was limited to 1024 tokens');
  });
});
