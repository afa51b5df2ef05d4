import { type EpisodeEvent, hash, type Store } from '@ludus-agents/kernel/internal/core/index';
import { Client } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { jobsCases } from '../job-queue.cases.ts';
import { log, rejectionOf, start } from '../logs.cases.ts';
import { checkStoreAt, copyStore, forgetIn, memoryStore, openSharedStore, storedBeforeIn } from '../open-store.ts';
import { storeCases } from '../store.cases.ts';
import { openPostgres, postgresStore } from './index.ts';
import { startServer } from './server.cases.ts';
import { steps } from './tables.ts';

const server = await startServer(['-c', 'fsync=off']);
if (typeof server === 'string') console.warn(server);
const skipped = typeof server === 'string';
afterAll(async () => {
  if (typeof server !== 'string') await server.stop();
});
let schemas = 0;
const fresh = () => (typeof server === 'string' ? '' : server.address(`t${schemas++}`));

if (!skipped) {
  storeCases('postgres', () => postgresStore(fresh()));
  jobsCases('postgres', () => {
    const where = fresh();
    return () => openSharedStore(where);
  });
}

describe.skipIf(skipped)('a store on PostgreSQL', () => {
  async function both(use: (store: Store, other: Store) => Promise<void>): Promise<void> {
    const where = fresh();
    // Opened at once, so that they also migrate at once.
    const [store, other] = await Promise.all([postgresStore(where), postgresStore(where)]);
    await use(store, other);
    await Promise.all([store.close(), other.close()]);
  }

  it('[S19] is complete when reopened', async () => {
    const where = fresh();
    const events = log(3);
    const first = await postgresStore(where);
    await first.append('a', 0, events.slice(0, 4), 'r');
    await first.close();
    const again = await postgresStore(where);
    await again.append('a', 4, events.slice(4));
    expect(await again.events('a')).toEqual(events);
    await again.close();
  });

  it('forgets rows together with the parts that only they used, and passes the store check', async () => {
    const where = fresh();
    const store = await postgresStore(where);
    const planted = 'a-secret-that-is-to-go '.repeat(60);
    const said = (text: string): EpisodeEvent[] => [start(), { kind: 'message', to: ['a'], text }];
    await store.append('kept', 0, said('shared '.repeat(200)));
    await store.append('gone', 0, [...said('shared '.repeat(200)), { kind: 'message', to: ['a'], text: planted }]);
    await store.close();
    expect((await checkStoreAt(where, null)).problems).toEqual([]);
    expect((await storedBeforeIn(where, Date.parse('2100-01-01'))).length).toBe(2);
    expect(await forgetIn(where, { episodes: ['gone'], runs: [] })).toMatchObject({ episodes: 1, runs: 0, journals: [] });
    const database = await openPostgres(where);
    for (const table of ['chunks', 'parts', 'episodes'] as const)
      expect(JSON.stringify(await database.db.selectFrom(table).selectAll().execute())).not.toContain('a-secret');
    await database.close();
    const again = await postgresStore(where);
    expect(await again.events('kept')).toEqual(said('shared '.repeat(200)));
    expect(await again.episode('gone')).toBeNull();
    await again.close();
    expect((await checkStoreAt(where, null)).problems).toEqual([]);
  });

  it('[S25] keeps the scores, texts, and read permissions of an earlier schema', async () => {
    const where = fresh();
    const schema = new URL(where).searchParams.get('schema') as string;
    const score = (value: number, ...keys: string[]) => JSON.stringify({ name: 'a', value, status: 'ok', evidence: [], cost: null }, keys);
    const texts = [score(1, 'name', 'value'), score(1, 'value', 'name'), score(2, 'name', 'value')];
    const client = new Client({ connectionString: where.replace(/\?.*/, ''), options: `-c search_path=${schema}` });
    await client.connect();
    await client.query(
      `create schema ${schema}; create table ludus_schema (number integer primary key, at timestamptz not null default now())`,
    );
    for (const [i, step] of steps.slice(0, 3).entries()) {
      await client.query(step);
      await client.query('insert into ludus_schema (number) values ($1)', [i + 1]);
    }
    await client.query(`create role "Some reader"; grant select on scores to "Some reader"`);
    for (const [i, text] of texts.entries()) {
      const { rows } = await client.query(
        `insert into episodes (id, environment, status, seed, events, begun, casting, task, added)
         values ($1, 'duel@1', 'running', 1, 1, 0, '{}', '{}', 0) returning position`,
        [`e${i}`],
      );
      for (const body of i === 2 ? [text, texts[0]!] : [text])
        await client.query('insert into scores (episode, hash, body) values ($1, $2, $3)', [
          rows[0].position,
          hash(JSON.parse(body)),
          body,
        ]);
    }
    const store = await postgresStore(where);
    const stored = async (id: string) => (await store.scores(id)).map((score) => JSON.stringify(score));
    expect(await Promise.all(['e0', 'e1', 'e2'].map(stored))).toEqual([[texts[0]], [texts[1]], [texts[2], texts[0]]]);
    await store.putScores('e1', [JSON.parse(texts[0]!), JSON.parse(texts[2]!)]);
    expect(await stored('e1')).toEqual([texts[1], texts[2]]);
    expect((await store.scoredEpisodes?.())?.map(({ scores }) => scores.length)).toEqual([2, 2, 1]);
    await store.close();
    const may =
      "select has_table_privilege('Some reader', name, 'select') as reads from unnest(array['scores', 'score_bodies', 'chunks']) as name";
    expect((await client.query(may)).rows.map(({ reads }) => reads)).toEqual([true, true, false]);
    await client.end();
  });

  it('[S21] rejects one of two concurrent appends at the same index and stores the rest of its batch', async () => {
    await both(async (store, other) => {
      for (let i = 0; i < 20; i++) {
        const id = `e${i}`;
        const said = (text: string): EpisodeEvent[] => [start(), { kind: 'message', to: ['a'], text }];
        const results = await Promise.allSettled([
          store.append(id, 0, said('one')),
          store.append(`${id}-one`, 0, said('one')),
          other.append(id, 0, said('other')),
          other.append(`${id}-other`, 0, said('other')),
        ]);
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
        const episodeEvents = await store.events(id);
        expect(episodeEvents).toHaveLength(2);
        expect((episodeEvents[1] as { text: string }).text).toBe(results[0]?.status === 'fulfilled' ? 'one' : 'other');
      }
    });
  });

  it('[S31] rejects one of two concurrent notes at the same index', async () => {
    await both(async (store, other) => {
      await store.note('r', 'm', 0, [0]);
      const results = await Promise.allSettled([store.note('r', 'm', 1, ['one']), other.note('r', 'm', 1, ['other'])]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await store.notes('r', 'm')).toHaveLength(2);
    });
  });

  it('[S32] survives a server restart and stores each append once', async () => {
    if (typeof server === 'string') return;
    const store = await postgresStore(fresh());
    const logs = Array.from({ length: 60 }, (_, i) => ({ id: `e${i}`, events: log(3, { seed: i }) }));
    const begun = Promise.withResolvers<void>();
    const writing = (async () => {
      for (const { id, events } of logs) {
        if (id === 'e10') begun.resolve();
        await store.append(id, 0, events.slice(0, 5), 'r');
        await store.append(id, 5, events.slice(5));
      }
    })();
    await Promise.race([begun.promise, writing]);
    await server.restart();
    await writing;
    for (const { id, events } of logs) expect(await store.events(id)).toEqual(events);
    expect((await store.statuses('r')).size).toBe(60);
    await store.close();
  });

  it('[S22] leaves foreign, newer, or unreachable schemas untouched, and hides the password in errors', async () => {
    if (typeof server === 'string') return;
    const where = fresh();
    const database = await openPostgres(where);
    await database.db
      .insertInto('ludus_schema' as never)
      .values({ number: 99 } as never)
      .execute();
    await database.close();
    expect(await rejectionOf(postgresStore(where))).toContain('newer Ludus (schema 99');
    expect(await rejectionOf(postgresStore(server.address('public_things', { password: 'wrong-secret' })))).not.toContain('wrong-secret');
    expect(await rejectionOf(postgresStore(server.address('x', { port: 1 })))).toContain('connection refused');
    expect(await rejectionOf(postgresStore(server.address("x'; drop schema public; --")))).toContain(
      'A schema name must have at most 40 lowercase',
    );
    expect(await rejectionOf(postgresStore('postgres://somewhere.example/db?sslmode=require'))).toContain(
      '", which does not verify the server.',
    );
  });

  it('[S36] copies another store completely, even if interrupted, and reports differences', async () => {
    const source = memoryStore();
    await source.putRun({ id: 'r', plan: { environments: [], seeds: [1], casts: [] }, episodes: 9, work: { kind: 'other', z: 1, a: [2] } });
    await source.note('r', 'metrics', 0, [{ loss: 1 }, 'two']);
    await source.putSpec({ name: 'ann', kind: 'llm', texts: { rules: 'Be kind. '.repeat(90) } });
    const cost = { calls: 1, promptTokens: 2, completionTokens: 3, money: 0.5 };
    for (let i = 0; i < 260; i++) {
      await source.append(`e${i}`, 0, log(i % 7, { seed: i }, i % 50 === 0 ? 'running' : 'over'), i % 3 === 0 ? 'r' : undefined);
      if (i % 4 === 0) await source.putScores(`e${i}`, [{ name: 'won', value: i, status: 'ok', evidence: [], cost }]);
    }
    const target = await postgresStore(fresh());
    const stop = new AbortController();
    const cut = copyStore(source, target, { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(cut).rejects.toThrow();
    expect((await target.episodes()).length).toBe(200);
    const report = await copyStore(source, target);
    expect(report).toMatchObject({ runs: 1, specs: 1, episodes: 260, fresh: 60, scores: 15, notes: 0 });
    await source.append('e0', 1, log(0).slice(1));
    await source.note('r', 'metrics', 2, [3]);
    const again = await copyStore(source, target);
    expect(again).toMatchObject({ episodes: 260, fresh: 0, events: 2, scores: 0, notes: 1 });
    const back = memoryStore();
    expect((await copyStore(target, back)).digest).toBe(again.digest);
    expect((await back.episodes()).map(({ id }) => id)).toEqual((await source.episodes()).map(({ id }) => id));
    const other = memoryStore();
    await other.append('e1', 0, log(1, { seed: 99 }));
    expect(await rejectionOf(copyStore(target, other))).toContain('"e1" exists in both stores with different contents');
    await target.close();
  });
});
