import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Agent, Fault, type Json, type Model, type Reply, type Store, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { type RunOptions, run } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { sqliteStore } from '@ludus-agents/store/internal/sqlite';
import { describe, expect, it } from 'vitest';
import { turns } from '../../../../test/fixtures/until.ts';

const small: Json = { name: 'small', environments: ['kuhn-poker', 'tic-tac-toe', 'dilemma'], seeds: 20 };

/** An agent that asks a model before each move, so that a run spends something. */
function paying(model: Model): Agent {
  return {
    name: 'paying',
    async act({ view, ask, rng }: Turn, signal): Promise<Reply> {
      const call = await model.complete(
        { messages: [{ role: 'user', content: `${view.seat} ${view.seen.length}` }] },
        { seed: rng.int(1000) },
        signal,
      );
      return { action: { text: rng.pick(ask.choices as readonly string[]) }, calls: [call] };
    },
  };
}

/** The same agent, a turn of the event loop later. */
function pausing(agent: Agent | Promise<Agent>): Agent {
  return {
    name: 'random',
    async act(turn, signal) {
      await new Promise(setImmediate);
      return (await agent).act(turn, signal);
    },
  };
}

function options(store: Store, more: Partial<RunOptions> = {}): RunOptions {
  return { store, environment: builtInEnvironment, agent: createAgent, ...more };
}

async function logsOf(store: Store): Promise<Map<string, Json>> {
  const logs = new Map<string, Json>();
  for (const { id } of await store.episodes({ limit: 100_000 })) logs.set(id, (await store.events(id)) as unknown as Json);
  return new Map([...logs].sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('run', () => {
  it('[E40] plays every cell once, and nothing when repeated', async () => {
    const store = memoryStore();
    const plan = readPlan(small);
    const first = await run(plan, options(store));
    expect(first).toMatchObject({
      run: 'small',
      planned: 60,
      before: 0,
      played: 60,
      running: 0,
      stopped: null,
      ends: { over: 60, error: 0 },
    });
    expect(await run(plan, options(store))).toMatchObject({ planned: 60, before: 60, played: 0 });
    expect((await store.episodes({ limit: 1000 })).length).toBe(60);
  });

  it("[E40] shares the work between two concurrent runs of one plan, and reports the other's part", async () => {
    const store = memoryStore();
    const plan = readPlan(small);
    const slow = options(store, { concurrency: 3, agent: (spec, seat, environment) => pausing(createAgent(spec, seat, environment)) });
    const [runReport, other] = await Promise.all([run(plan, slow), run(plan, slow)]);
    expect((await store.episodes({ limit: 1000 })).map(({ status }) => status)).toEqual(Array(60).fill('over'));
    expect(runReport.played + other.played).toBe(60);
    for (const { played, elsewhere = 0 } of [runReport, other]) expect(played + elsewhere).toBe(60);
    const alone = memoryStore();
    await run(plan, options(alone));
    expect(await logsOf(store)).toEqual(await logsOf(alone));
  });

  it('[E40] shares the work between two runs into one file, without mixed logs', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'ludus-')), 'store.sqlite');
    const stores = [await sqliteStore(file), await sqliteStore(file)] as const;
    const plan = readPlan(small);
    // Each answers in its own way: a log with moves of both would have a mind of the other.
    const agent =
      (mind: string): RunOptions['agent'] =>
      async (...of) => {
        const { name, act } = await createAgent(...of);
        return { name, act: async (turn, signal) => ({ ...(await act(turn, signal)), mind }) };
      };
    const reports = await Promise.all(stores.map((store, i) => run(plan, options(store, { agent: agent(`${i}`) }))));
    for (const { played, elsewhere = 0, stopped } of reports) expect([played + elsewhere, stopped]).toEqual([60, null]);
    expect(reports[0]!.played + reports[1]!.played).toBe(60);
    for (const log of (await logsOf(stores[0])).values())
      expect(new Set((log as { mind?: string }[]).flatMap(({ mind }) => mind ?? [])).size).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('[E40] continues the episodes of another run that has been inactive for a while', async () => {
    const store = memoryStore();
    const plan = readPlan({ environments: ['dilemma'], seeds: 2 });
    // The other run begins both episodes as this one does, and is gone at once.
    let others = 0;
    const append: Store['append'] = (...of) => {
      if (++others <= 2) void store.append(...of);
      return store.append(...of);
    };
    const shared = new Proxy(store, {
      get: (target, name) => (name === 'append' ? append : (target[name as keyof Store] as () => unknown).bind(target)),
    });
    expect(await run(plan, options(shared, { patience: 0 }))).toMatchObject({ planned: 2, played: 2, stopped: null });
    expect((await store.episodes()).map(({ status }) => status)).toEqual(['over', 'over']);
  });

  it('[E40] plays only the new episodes of a larger plan under the same name', async () => {
    const store = memoryStore();
    await run(readPlan(small), options(store));
    expect(await run(readPlan({ ...(small as object), seeds: 25 }), options(store))).toMatchObject({ before: 60, played: 15 });
  });

  it('[E41] produces logs that do not depend on concurrency or order', async () => {
    const stores = [memoryStore(), memoryStore(), memoryStore()];
    const agent: RunOptions['agent'] = async () => paying(fakeModel({ answers: ['x'], latency: { mean: 1, spread: 1 } }));
    for (const [i, concurrency] of [1, 7, 64].entries()) await run(readPlan(small), options(stores[i]!, { concurrency, agent }));
    const [item, seven, many] = await Promise.all(stores.map(logsOf));
    const moves = (logs: Map<string, Json> | undefined) =>
      [...(logs ?? [])].map(([id, log]) => [
        id,
        (log as { kind: string; action?: Json; returns?: Json }[]).map((event) => event.action ?? event.returns ?? event.kind),
      ]);
    expect(moves(seven)).toEqual(moves(item));
    expect(moves(many)).toEqual(moves(item));
  });

  it('[E42] leaves open logs when stopped, and resumes them without asking again', async () => {
    const store = memoryStore();
    const stop = new AbortController();
    let calls = 0;
    const model = fakeModel({ answers: ['x'], latency: { mean: 2 } });
    const counting: Model = {
      id: 'counting',
      complete: async (...inputs) => {
        const call = await model.complete(...inputs);
        if (++calls === 100) stop.abort();
        return call;
      },
    };
    const agent: RunOptions['agent'] = () => paying(counting);
    const stopped = await run(readPlan(small), options(store, { agent, signal: stop.signal, concurrency: 10 }));
    expect(stopped.stopped).toBe('signal');
    expect(stopped.played).toBeLessThan(60);
    expect((await store.episodes({ limit: 1000, status: 'running' })).length).toBeGreaterThan(0);
    const before = (await store.episodes({ limit: 1000 })).reduce((sum, episode) => sum + episode.turns, 0);
    expect(before).toBeGreaterThan(0);

    const finished = await run(readPlan(small), options(store, { agent: () => paying(fakeModel({ answers: ['x'] })) }));
    expect(finished).toMatchObject({ before: stopped.played, played: 60 - stopped.played, stopped: null });

    const whole = memoryStore();
    await run(readPlan(small), options(whole, { agent: () => paying(fakeModel({ answers: ['x'] })) }));
    const actions = (logs: Map<string, Json>) =>
      [...logs].map(([id, log]) => [id, (log as { kind: string; action?: Json }[]).map((event) => event.action ?? event.kind)]);
    expect(actions(await logsOf(store))).toEqual(actions(await logsOf(whole)));
  });

  it('[E43] stops before a budget of calls, money, or episodes is exceeded', async () => {
    const model = fakeModel({ answers: ['x'], latency: { mean: 1 }, price: { prompt: 1e6, completion: 0 } });
    const spent = async (budget: RunOptions['budget']) =>
      run(readPlan(small), options(memoryStore(), { agent: () => paying(model), budget, concurrency: 4 }));
    const calls = await spent({ calls: 10 });
    expect(calls.stopped).toBe('calls');
    expect(calls.spent.calls).toBe(10);
    expect((await spent({ money: 5 })).stopped).toBe('money');
    const episodes = await spent({ episodes: 7 });
    expect(episodes).toMatchObject({ stopped: 'episodes', played: 7 });
    expect((await spent({ seconds: 0.05 })).stopped).toBe('seconds');
  });

  it('[E43] counts calls without a price separately, never as free', async () => {
    const unpriced: Model = {
      id: 'unpriced',
      complete: async (prompt) => ({
        ...{ model: 'unpriced', prompt, text: 'x', finish: 'stop' as const, cost: null },
        usage: { promptTokens: 9, completionTokens: 1 },
      }),
    };
    const report = await run(
      readPlan({ environments: ['kuhn-poker'], seeds: 3 }),
      options(memoryStore(), { agent: () => paying(unpriced) }),
    );
    expect(report.spent.unpriced).toBe(report.spent.calls);
    expect(report.spent.money).toBe(0);
  });

  it('[E43] logs reused answers without counting them as spending', async () => {
    const call = { model: 'bot:kept', prompt: { messages: [] }, text: '[pass]', finish: 'stop' as const, cost: null };
    const usage = { promptTokens: 9, completionTokens: 1 };
    const play = (saved: { readonly kept?: true }) =>
      run(
        readPlan({ environments: ['kuhn-poker'], seeds: 3 }),
        options(memoryStore(), {
          agent: () => ({ name: 'bot', act: async () => ({ action: { text: '[pass]' }, calls: [{ ...call, ...saved, usage }] }) }),
        }),
      );
    expect((await play({ kept: true })).spent).toEqual({ calls: 0, tokens: 0, money: 0, unpriced: 0 });
    const { calls, tokens, unpriced } = (await play({})).spent;
    expect([calls > 0, tokens, unpriced]).toEqual([true, 10 * calls, calls]);
  });

  it('[E44] keeps an episode that ended in an error, and plays it again only on request', async () => {
    const store = memoryStore();
    const broken: Agent = {
      name: 'broken',
      act: () => {
        throw new Fault('model', 'the model is on strike');
      },
    };
    const plan = readPlan({ environments: ['kuhn-poker'], seeds: 3 });
    expect((await run(plan, options(store, { agent: () => broken }))).ends.error).toBe(3);
    expect(await run(plan, options(store))).toMatchObject({ before: 3, played: 0 });
    expect(await run(plan, options(store, { retry: true }))).toMatchObject({ before: 0, played: 3, ends: { over: 3 } });
    expect(await run(plan, options(store, { retry: true }))).toMatchObject({ before: 3, played: 0 });
  });

  it('[E45] stops with the error of a failing store', async () => {
    const store = memoryStore();
    let appended = 0;
    const append: Store['append'] = async (...inputs) => {
      if (++appended > 20) throw new Fault('store', 'The disk is full; free some room and run the plan again.');
      return store.append(...inputs);
    };
    const failing = new Proxy(store, {
      get: (target, name) => (name === 'append' ? append : (target[name as keyof Store] as () => unknown).bind(target)),
    });
    await expect(run(readPlan(small), options(failing))).rejects.toThrow('The disk is full');
  });

  it('[E45] leaves no unhandled rejection if a store fails late with pending episodes', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const store = memoryStore();
    const append: Store['append'] = async () => {
      await turns(3);
      throw new Fault('store', 'The disk is full; free some room and run the plan again.');
    };
    const failing = new Proxy(store, {
      get: (target, name) => (name === 'append' ? append : (target[name as keyof Store] as () => unknown).bind(target)),
    });
    await expect(run(readPlan(small), options(failing, { concurrency: 4 }))).rejects.toThrow('The disk is full');
    await turns(20);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('[E46] applies the limits of the plan to episodes, and every log replays', async () => {
    const store = memoryStore();
    const report = await run(readPlan({ ...(small as object), limits: { turns: 2 } }), options(store));
    expect(report.ends.limit).toBeGreaterThan(0);
    for (const { id, environment: name } of await store.episodes({ limit: 1000 }))
      expect(replay(await builtInEnvironment(name), await store.events(id))).toBeNull();
  });

  it('[E47] reports progress up to the size of the plan', async () => {
    const observations: number[] = [];
    await run(readPlan(small), options(memoryStore(), { onProgress: ({ played }) => observations.push(played) }));
    expect(observations).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
  });

  it('[E48] does not starve timers with synchronous agents', async () => {
    let [rounds, over] = [0, false];
    const count = async () => {
      for (; !over; rounds++) await turns();
    };
    const counting = count();
    await run(readPlan({ environments: ['tic-tac-toe'], seeds: 1500 }), options(memoryStore()));
    over = true;
    await counting;
    // The event loop, and with it every timer that is due, came round again and again.
    expect(rounds).toBeGreaterThan(10);
  });
});
