import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { openPostgres } from '@ludus-agents/store/internal/postgres/index';
import { startServer } from '@ludus-agents/store/internal/postgres/server.cases';
import { openSqlite } from '@ludus-agents/store/internal/sqlite';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { explore, sample } from '../../../../test/fixtures/interleavings.ts';
import type { Scene } from './budget-actor.cases.ts';
import { createWorld } from './budget-world.cases.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-orders-'));
afterAll(() => rmSync(directory, { recursive: true }));

const calls = (workers: Scene['workers']): Scene => ({ budget: { calls: 1 }, bound: 2, workers });
/** There is room for one call at its bound, and for both at what they use. */
const tokens = (workers: Scene['workers']): Scene => ({ budget: { tokens: 3 }, bound: 2, workers });

/** Explored in full by `npm test`. */
const small: Readonly<Record<string, Scene>> = {
  'a report meets reservations': calls({ a: { calls: [1], reports: 1 }, b: { calls: [1] } }),
  'a statement is lost or delayed': calls({ a: { calls: [1], lost: 1 }, b: { calls: [1] } }),
  'a call waits for room': tokens({ a: { calls: [1], leaseLoss: true }, b: { calls: [1] } }),
  'a worker crashes': calls({ a: { calls: [1], reports: 1, crash: true }, b: { calls: [1] } }),
  'a silent worker crashes': tokens({ a: { calls: [1], crash: true, silent: true }, b: { calls: [1] } }),
  'a lease is lost': calls({ a: { calls: [1], reports: 1, leaseLoss: true }, b: { calls: [1] } }),
  'the budget is opened again': { ...tokens({ a: { calls: [1] }, b: { calls: [1] } }), reopen: { tokens: 3 } },
  'the budget is opened again after a silence': {
    ...tokens({ a: { calls: [1], silent: true }, b: { calls: [1] } }),
    reopen: { tokens: 2 },
  },
};

/** Too many orders for a short test. */
const large: Readonly<Record<string, Scene>> = {
  'a call waits for room, and a worker reports': tokens({ a: { calls: [1], reports: 1 }, b: { calls: [1] } }),
  'both workers report': calls({ a: { calls: [1], reports: 1 }, b: { calls: [1], reports: 1 } }),
  'two calls and a report': { ...calls({ a: { calls: [1, 1], reports: 1 }, b: { calls: [1] } }), budget: { calls: 2 } },
  'a report or a reservation is lost': calls({ a: { calls: [1], reports: 1, lost: 1 }, b: { calls: [1] } }),
  'a lease is lost while calls wait for room': tokens({ a: { calls: [1], reports: 1, leaseLoss: true }, b: { calls: [1] } }),
  'a report meets a reopened budget': { ...tokens({ a: { calls: [1], reports: 1 }, b: { calls: [1] } }), reopen: { tokens: 2 } },
};

/** In `npm run test:long`. */
const all = amount(0, 1) === 1;

describe('a budget shared by two workers', () => {
  it.each(Object.entries(all ? { ...small, ...large } : small))(
    '[J10] holds on SQLite in every order of events: %s',
    async (name, scene) => {
      const databases = await Promise.all([0, 1, 2].map(() => openSqlite(join(directory, `${name}.db`))));
      const { executions } = await explore(() => createWorld(scene, { databases }));
      expect(executions).toBeGreaterThan(5);
      await Promise.all(databases.map((database) => database.close()));
    },
  );

  it('[J10] holds on PostgreSQL, statement by statement, in a sample of orders', async ({ skip }) => {
    const server = await startServer(['-c', 'fsync=off']);
    if (typeof server === 'string') return skip(server);
    const databases = await Promise.all([0, 1, 2].map(() => openPostgres(server.address('orders'))));
    const [observer] = databases.slice(-1);
    // Who waits by the table of locks: a process that was let go on may still be listed as waiting.
    const blocked = sql<{ count: number }>`select count(*) as count from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0`;
    const settled = async (performing: number) => Number((await blocked.execute(observer!.db)).rows[0]!.count) === performing;
    const orders = new Set<string>();
    for (const [name, scene] of Object.entries({ ...small, ...large })) {
      const create = () => createWorld(scene, { databases, settled });
      for (let seed = 0; seed < amount(1, 50); seed++) {
        const dice = rng(seed, name);
        orders.add(`${name}: ${(await sample(create, (count) => dice.int(count))).join(', ')}`);
      }
    }
    expect(orders.size).toBeGreaterThan(10);
    await Promise.all(databases.map((database) => database.close()));
    await server.stop();
  });
});
