import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { routeNow } from '@ludus-agents/agents/internal/models/routed';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { canonical, type Json, type Model, type ModelCall, type Store } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore, openSharedStore, type SharedStore } from '@ludus-agents/store/internal/open-store';
import { startServer } from '@ludus-agents/store/internal/postgres/server.cases';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { turns, until } from '../../../../test/fixtures/until.ts';
import { enqueuePlan } from './enqueue-plan.ts';
import { runByWorkers } from './run-by-workers.ts';
import { Worker, type WorkerOptions } from './worker.ts';
import { startWorkers } from './worker-pool.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

const directory = mkdtempSync(join(tmpdir(), 'ludus-fleet-'));
const server = await startServer(['-c', 'fsync=off']);
if (typeof server === 'string') console.warn(server);
afterAll(async () => {
  rmSync(directory, { recursive: true });
  if (typeof server !== 'string') await server.stop();
});
let places = 0;
const kinds: Readonly<Record<string, () => string>> = {
  sqlite: () => join(directory, `${places++}.db`),
  ...(typeof server === 'string' ? {} : { postgres: () => server.address(`f${places++}`) }),
};

const plan = readPlan({
  name: 'alike',
  environments: ['kuhn-poker', 'tic-tac-toe', { environment: 'dilemma', tasks: [{}] }],
  seeds: 20,
  casts: [{ '*': 'random' }, { '*': { name: 'Ann', kind: 'random' } }],
});

const models =
  (name: string, change: Partial<Model> = {}) =>
  async () => ({ ...fakeModel({ id: name, answers: ['[pass]'] }), ...change });
const options = (sharedStore: SharedStore, change: Partial<WorkerOptions> = {}): WorkerOptions => ({
  sharedStore,
  environment: builtInEnvironment,
  services: agentServices,
  concurrency: 8,
  untilEmpty: true,
  ...change,
});

/** A run in one hash: the ids of its episodes with the hashes of their logs, in the order of the ids. */
async function digestOf(store: Store, run: string): Promise<string> {
  const whole = createHash('sha256');
  for (const id of [...(await store.statuses(run)).keys()].sort()) {
    const log = createHash('sha256').update(canonical((await store.events(id)) as unknown as Json));
    whole.update(`${id} ${log.digest('hex')}\n`);
  }
  return whole.digest('hex');
}

async function playedAlone(): Promise<string> {
  const store = memoryStore();
  await run(plan, { store, environment: builtInEnvironment, agent: createAgentLoader(agentServices) });
  return digestOf(store, 'alike');
}

describe('fleet workers', () => {
  /** What one process makes of the plan, played once. */
  let alone: Promise<string> | undefined;
  const expectedDigest = () => {
    alone ??= playedAlone();
    return alone;
  };

  it('[F1] produce the same logs in threads as in one process', async () => {
    const expected = await expectedDigest();
    const where = kinds['sqlite']!();
    const sharedStore = await openSharedStore(where);
    for (const [before, played, threads] of [
      [0, 120, 2],
      [120, 0, 1],
    ] as const) {
      const pool = startWorkers(threads, { where, cwd: directory, concurrency: 8 });
      const report = await runByWorkers(plan, { sharedStore, environment: builtInEnvironment, pool: () => pool });
      await pool.dismiss();
      expect(report).toMatchObject({ planned: 120, before, played, stopped: null, ends: { over: played, error: 0 } });
      expect(await digestOf(sharedStore.store, 'alike')).toBe(expected);
    }
    await sharedStore.close();
  });

  for (const [name, place] of Object.entries(kinds))
    it.each(amount(0, 1) === 1 ? [1, 2, 4] : [4])(
      `[F1] on ${name}: produce the same logs as one process, with %i workers`,
      async (count) => {
        const at = place();
        const pool = await Promise.all(Array.from({ length: count }, () => openSharedStore(at)));
        const [first] = pool as [SharedStore];
        await enqueuePlan(plan, { sharedStore: first, environment: builtInEnvironment });
        const workers = pool.map((sharedStore) => new Worker(options(sharedStore)));
        await Promise.all(workers.map((worker) => worker.run(new AbortController().signal)));
        expect(workers.reduce((sum, { note }) => sum + note.finished, 0)).toBe(120);
        expect(await digestOf(first.store, 'alike')).toBe(await expectedDigest());
        await Promise.all(pool.map((sharedStore) => sharedStore.close()));
      },
    );

  for (const [name, place] of Object.entries(kinds)) {
    it(`[F2] on ${name}: resume a log at its end, without paying for an answer twice`, async () => {
      const sharedStore = await openSharedStore(place());
      const small = readPlan({
        name: 'cut',
        environments: ['kuhn-poker'],
        seeds: 12,
        casts: [{ '*': { name: 'L', kind: 'llm', model: 'fake' } }],
      });
      let calls = 0;
      const counted = {
        model: models('fake', {
          async complete(...of) {
            calls++;
            await turns(5);
            return fakeModel({ id: 'fake', answers: ['[pass]'] }).complete(...of);
          },
        }),
      };
      await enqueuePlan(small, { sharedStore, environment: builtInEnvironment });
      const stop = new AbortController();
      const first = new Worker(options(sharedStore, { services: counted, concurrency: 3, grace: 0, untilEmpty: false }));
      const working = first.run(stop.signal);
      await until(() => calls >= 7);
      stop.abort();
      await working;
      expect((await sharedStore.jobs.standing('cut')).leased).toBe(0);
      await new Worker(options(sharedStore, { services: counted })).run(new AbortController().signal);
      const logs = await Promise.all([...(await sharedStore.store.statuses('cut')).keys()].map((id) => sharedStore.store.events(id)));
      expect(logs).toHaveLength(12);
      const stored = logs.flat().filter((event) => event.kind === 'action').length;
      // Calls that were called off in flight come on top.
      expect(calls - stored).toBeLessThanOrEqual(3);
      await sharedStore.close();
    });

    it(`[F3] on ${name}: all stop when the budget is spent, and continue when it is raised`, async () => {
      const where = place();
      const [otherSharedStore, two] = [await openSharedStore(where), await openSharedStore(where)];
      const plan = readPlan({
        ...{ name: 'paid', environments: ['kuhn-poker'], seeds: 60, budget: { calls: 50 } },
        casts: [{ '*': { name: 'L', kind: 'llm', model: 'fake' } }],
      });
      let madeCount = 0;
      const complete: Model['complete'] = async (...of): Promise<ModelCall> => {
        madeCount++;
        await turns(10);
        return { ...(await fakeModel({ id: 'fake', answers: ['[pass]'] }).complete(...of)), cost: 0.01 };
      };
      const costly = { model: models('fake', { complete }) };
      await enqueuePlan(plan, { sharedStore: otherSharedStore, environment: builtInEnvironment });
      const stop = new AbortController();
      const both = [otherSharedStore, two].map((sharedStore) =>
        new Worker(options(sharedStore, { services: costly, concurrency: 4 })).run(stop.signal),
      );
      await Promise.all(both);
      expect(madeCount).toBeLessThanOrEqual(50);
      expect(madeCount).toBeGreaterThan(40);
      expect(await otherSharedStore.ledger.account('paid')).toMatchObject({ stopped: 'calls' });
      expect(await otherSharedStore.jobs.standing('paid')).toMatchObject({ leased: 0, dead: 0 });
      await enqueuePlan({ ...plan, budget: { money: 0.3 } }, { sharedStore: otherSharedStore, environment: builtInEnvironment });
      const before = madeCount;
      await Promise.all(
        [otherSharedStore, two].map((sharedStore) =>
          new Worker(options(sharedStore, { services: costly, concurrency: 4 })).run(stop.signal),
        ),
      );
      expect(await otherSharedStore.ledger.account('paid')).toMatchObject({ stopped: 'money' });
      expect(madeCount - before).toBeLessThanOrEqual(30 + 8);
      await enqueuePlan({ ...plan, budget: {} }, { sharedStore: otherSharedStore, environment: builtInEnvironment });
      await new Worker(options(otherSharedStore, { services: costly })).run(stop.signal);
      expect(await otherSharedStore.jobs.standing('paid')).toMatchObject({ waiting: 0, leased: 0, done: 60, outcomes: { over: 60 } });
      await Promise.all([otherSharedStore.close(), two.close()]);
    });
  }

  it('[F4] claim only jobs of their version, environments, and models', async () => {
    const sharedStore = await openSharedStore(kinds['sqlite']!());
    await enqueuePlan(plan, { sharedStore, environment: builtInEnvironment });
    const talking = readPlan({
      name: 'talk',
      environments: ['kuhn-poker'],
      seeds: 2,
      casts: [{ '*': { name: 'L', kind: 'llm', model: 'fake' } }],
    });
    await enqueuePlan(talking, { sharedStore, environment: builtInEnvironment });
    const lots = await sharedStore.jobs.lots();
    await sharedStore.jobs.offer({ ...lots[0]!, id: 'old', run: 'old', version: '0.0.1' }, [
      { id: 'o', kind: 'episode', payload: { seed: 1, cast: 0 } },
    ]);
    const stop = new AbortController();
    const claim = vi.spyOn(sharedStore.jobs, 'claim');
    const picky = new Worker(options(sharedStore, { environments: ['tic-tac-toe', 'kuhn-poker'], models: [], untilEmpty: false }));
    const working = picky.run(stop.signal);
    await until(async () => (await sharedStore.jobs.standing('alike')).done >= 80);
    // By the second look of a worker that waits, it would have taken whatever it likes.
    const looks = claim.mock.settledResults.length;
    await until(() => claim.mock.settledResults.length > looks + 1);
    stop.abort();
    await working;
    expect(await sharedStore.jobs.standing('alike')).toMatchObject({ done: 80, waiting: 40 });
    expect(await sharedStore.jobs.standing('talk')).toMatchObject({ waiting: 2 });
    expect(await sharedStore.jobs.standing('old')).toMatchObject({ waiting: 1 });
    await sharedStore.close();
  });

  it('[F5] mark an unplayable job as dead with the reason, and continue with the rest', async () => {
    const sharedStore = await openSharedStore(kinds['sqlite']!());
    const odd = readPlan({ name: 'odd', environments: ['kuhn-poker'], seeds: 2, casts: [{ '*': 'random' }] });
    await enqueuePlan(odd, { sharedStore, environment: builtInEnvironment });
    const [lot] = await sharedStore.jobs.lots();
    await sharedStore.jobs.offer({ ...(lot as NonNullable<typeof lot>), id: 'gone', environmentName: './gone.ts' }, [
      { id: 'x', kind: 'episode', payload: { seed: 1, cast: 0 } },
      { id: 'y', kind: 'dance', payload: {} },
    ]);
    const statements: string[] = [];
    await new Worker(options(sharedStore, { tell: (sentence) => statements.push(sentence) })).run(new AbortController().signal);
    const dead = await sharedStore.jobs.dead('odd');
    expect(dead.map(({ id }) => id)).toEqual(['x', 'y']);
    expect(dead[0]?.reason).toContain('gone.ts');
    expect(dead[1]?.reason).toContain('"dance"');
    expect(statements.filter((sentence) => sentence.endsWith('It is not tried again.'))).toHaveLength(2);
    expect(await sharedStore.jobs.standing('odd')).toMatchObject({ done: 2, dead: 2 });
    await sharedStore.close();
  });

  it('[F6] give all calls of an episode the same routing hint, different from other episodes', async () => {
    const sharedStore = await openSharedStore(kinds['sqlite']!());
    const visited = new Map<string, Set<string>>();
    const model = models('fake', {
      complete: async (...of) => {
        const call = await fakeModel({ id: 'fake', answers: ['[pass]'] }).complete(...of);
        await turns();
        const hint = routeNow() as string;
        visited.set(hint, (visited.get(hint) ?? new Set()).add(call.text));
        return call;
      },
    });
    await enqueuePlan(
      readPlan({ name: 'sticky', environments: ['kuhn-poker'], seeds: 9, casts: [{ '*': { name: 'L', kind: 'llm', model: 'fake' } }] }),
      { sharedStore, environment: builtInEnvironment },
    );
    await new Worker(options(sharedStore, { services: { model } })).run(new AbortController().signal);
    expect([...visited.keys()].sort()).toEqual([...(await sharedStore.store.statuses('sticky')).keys()].sort());
    expect(routeNow()).toBeUndefined();
    await sharedStore.close();
  });
});
