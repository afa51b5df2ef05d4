import { afterAll, describe, expect, it } from 'vitest';
import type { EpisodeEvent, Store } from '../../core/index.ts';
import { openPremises } from '../index.ts';
import { jobsCases } from '../jobs.cases.ts';
import { log, refused, start, storeCases } from '../store.cases.ts';
import { openPostgres, postgresStore } from './index.ts';
import { startServer } from './server.cases.ts';

const server = await startServer(['-c', 'fsync=off']);
if (typeof server === 'string') console.warn(server);
const skipped = typeof server === 'string';
afterAll(async () => {
  if (typeof server !== 'string') await server.stop();
}, 60_000);
let schemas = 0;
const fresh = () => (typeof server === 'string' ? '' : server.address(`t${schemas++}`));

if (!skipped) {
  storeCases('postgres', () => postgresStore(fresh()));
  jobsCases('postgres', () => {
    const where = fresh();
    return () => openPremises(where);
  });
}

describe.skipIf(skipped)('a store on PostgreSQL', () => {
  async function both(use: (one: Store, other: Store) => Promise<void>): Promise<void> {
    const where = fresh();
    // Opened at once, so that they also migrate at once.
    const [one, other] = await Promise.all([postgresStore(where), postgresStore(where)]);
    await use(one, other);
    await Promise.all([one.close(), other.close()]);
  }

  it('[S19] is all there when it is opened again', async () => {
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

  it('[S21] of two that append to one log at the same index, one is refused, and the rest of its batch is stored', async () => {
    await both(async (one, other) => {
      for (let i = 0; i < 20; i++) {
        const id = `e${i}`;
        const said = (text: string): EpisodeEvent[] => [start(), { kind: 'message', to: ['a'], text }];
        const results = await Promise.allSettled([
          one.append(id, 0, said('one')),
          one.append(`${id}-one`, 0, said('one')),
          other.append(id, 0, said('other')),
          other.append(`${id}-other`, 0, said('other')),
        ]);
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
        const kept = await one.events(id);
        expect(kept).toHaveLength(2);
        expect((kept[1] as { text: string }).text).toBe(results[0]?.status === 'fulfilled' ? 'one' : 'other');
      }
    });
  });

  it('[S31] of two that note at the same index, one is refused', async () => {
    await both(async (one, other) => {
      await one.note('r', 'm', 0, [0]);
      const results = await Promise.allSettled([one.note('r', 'm', 1, ['one']), other.note('r', 'm', 1, ['other'])]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await one.notes('r', 'm')).toHaveLength(2);
    });
  });

  it('[S32] rides out a restart of the server: what was appended meanwhile is stored once', async () => {
    if (typeof server === 'string') return;
    const store = await postgresStore(fresh());
    const logs = Array.from({ length: 60 }, (_, i) => ({ id: `e${i}`, events: log(3, { seed: i }) }));
    const writing = (async () => {
      for (const { id, events } of logs) {
        await store.append(id, 0, events.slice(0, 5), 'r');
        await store.append(id, 5, events.slice(5));
      }
    })();
    await new Promise((resolve) => setTimeout(resolve, 30));
    await server.restart();
    await writing;
    for (const { id, events } of logs) expect(await store.events(id)).toEqual(events);
    expect((await store.statuses('r')).size).toBe(60);
    await store.close();
  });

  it('[S22] leaves what is not ours, newer, or out of reach as it is, and says so without the password', async () => {
    if (typeof server === 'string') return;
    const where = fresh();
    const database = await openPostgres(where);
    await database.db
      .insertInto('ludus_schema' as never)
      .values({ number: 99 } as never)
      .execute();
    await database.close();
    expect(await refused(postgresStore(where))).toContain('newer Ludus (schema 99');
    expect(await refused(postgresStore(server.address('public_things', { password: 'wrong-secret' })))).not.toContain('wrong-secret');
    expect(await refused(postgresStore(server.address('x', { port: 1 })))).toContain('nobody listens there');
    expect(await refused(postgresStore(server.address("x'; drop schema public; --")))).toContain('A schema is named');
    expect(await refused(postgresStore('postgres://somewhere.example/db?sslmode=require'))).toContain('does not look at whom');
  });
});
