/**
 * @file Deletes episodes permanently: their rows, their entries in the studio's journal, and shared parts and scores without other
 * references. In a SQLite file their bytes are overwritten and the file is rebuilt. No other process may have it open meanwhile, because a
 * writer with a cached part would refer to a deleted one.
 */

import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { dropSearch } from './episode-search.ts';
import { referencesIn } from './pack.ts';
import type { Tables } from './schema.ts';
import { removeUnusedBodies } from './score-bodies.ts';

/** Which episodes: by name, of whole runs with everything else in them, or stored before a time in milliseconds. */
export interface ForgetQuery {
  readonly episodes: readonly string[];
  readonly runs: readonly string[];
}

export interface ForgetReport {
  readonly episodes: number;
  readonly runs: number;
  /** Shared parts that nothing refers to any more. */
  readonly parts: number;
  /** Journals that still name a forgotten episode. */
  readonly journals: readonly string[];
}

/** Names of episodes that were stored before a time, in milliseconds since 1970. */
export async function storedBefore(database: Database, time: number): Promise<readonly string[]> {
  const rows = await database.db.selectFrom('episodes').select('id').where('added', '<', time).orderBy('position').execute();
  return rows.map(({ id }) => id);
}

export async function forgetRecords(database: Database, { episodes, runs }: ForgetQuery): Promise<ForgetReport> {
  await beAlone(database);
  const report = await database.transact(async ({ db }) => {
    const ids = new Set(episodes);
    for (const run of runs) for (const { id } of await db.selectFrom('episodes').select('id').where('run', '=', run).execute()) ids.add(id);
    const forgotten = await removeEpisodes(db, [...ids]);
    await dropSearch({ db, kind: database.kind });
    await removeRunRecords(db, runs);
    const journals = await removeEntries(db, ids);
    const parts = await removeParts(db);
    await removeUnusedBodies(db, database.kind);
    return { episodes: forgotten, runs: runs.length, parts, journals };
  });
  await overwrite(database);
  return report;
}

/** No other process has the file open: only then can it leave its write-ahead log. Data deleted from here on is overwritten. */
async function beAlone({ db, kind }: Database): Promise<void> {
  if (kind === 'postgres') {
    const live = await sql<{
      n: string;
    }>`select count(*) as n from workers where seen > extract(epoch from clock_timestamp()) * 1000 - 60000 and body not like '%"state":"gone"%'`.execute(
      db,
    );
    if (Number(live.rows[0]?.n) > 0)
      throw new Fault('store', 'Workers are using this store. Stop them, and every server and studio, before you delete anything.');
    return;
  }
  const { rows } = await sql<{ journal_mode: string }>`pragma journal_mode = delete`.execute(db).catch(() => ({ rows: [] }));
  if (rows[0]?.journal_mode !== 'delete')
    throw new Fault(
      'store',
      'Another process has this store open. Close every studio, server, worker, and run that uses it, then try again.',
    );
  await sql`pragma secure_delete = on`.execute(db);
}

async function overwrite({ db, kind }: Database): Promise<void> {
  if (kind === 'postgres') {
    for (const table of ['chunks', 'parts', 'episodes', 'scores', 'score_bodies', 'notes', 'appearances', 'jobs'])
      await sql`vacuum ${sql.table(table)}`.execute(db).catch(() => undefined);
    return;
  }
  await sql`vacuum`.execute(db);
  await sql`pragma journal_mode = wal`.execute(db);
}

type Db = Kysely<Tables>;

/** Deletes whole runs while the store is in use. Shared parts stay, since a writer may refer to them; `forgetRecords` deletes those. */
export async function removeRuns(database: Database, runs: readonly string[]): Promise<number> {
  return database.transact(async ({ db }) => {
    const ids = new Set<string>();
    for (const run of runs) for (const { id } of await db.selectFrom('episodes').select('id').where('run', '=', run).execute()) ids.add(id);
    const removed = await removeEpisodes(db, [...ids]);
    await dropSearch({ db, kind: database.kind });
    await removeRunRecords(db, runs);
    await removeEntries(db, ids);
    return removed;
  });
}

async function removeRunRecords(db: Db, runs: readonly string[]): Promise<void> {
  for (const run of runs) {
    for (const table of ['notes', 'jobs', 'lots', 'purses', 'spendings'] as const)
      await db.deleteFrom(table).where('run', '=', run).execute();
    await db.deleteFrom('runs').where('id', '=', run).execute();
  }
}

async function removeEpisodes(db: Db, ids: readonly string[]): Promise<number> {
  let gone = 0;
  for (let at = 0; at < ids.length; at += 500) {
    const partialIds = ids.slice(at, at + 500);
    const rows = await db.selectFrom('episodes').select('position').where('id', 'in', partialIds).execute();
    const positions = rows.map(({ position }) => Number(position));
    if (positions.length > 0) {
      for (const table of ['scores', 'chunks', 'appearances'] as const)
        await db.deleteFrom(table).where('episode', 'in', positions).execute();
      await db.deleteFrom('episodes').where('position', 'in', positions).execute();
    }
    await db.deleteFrom('jobs').where('id', 'in', partialIds).execute();
    gone += positions.length;
  }
  return gone;
}

/**
 * The studio's journals have casts, tasks, notes and reasons in them; their entries are deleted. Journals of other work are only named, because their order has a
 * meaning.
 */
async function removeEntries(db: Db, ids: ReadonlySet<string>): Promise<readonly string[]> {
  const names = await db.selectFrom('notes').select(['run', 'journal']).distinct().execute();
  const named: string[] = [];
  for (const { run, journal } of names) {
    const rows = await db
      .selectFrom('notes')
      .selectAll()
      .where('run', '=', run)
      .where('journal', '=', journal)
      .orderBy('position')
      .execute();
    const mentions = (body: string) => [...ids].some((id) => body.includes(JSON.stringify(id)));
    const retainedRows = rows.filter(({ body }) => !mentions(body));
    if (retainedRows.length === rows.length) continue;
    if (run !== 'studio' || !['episodes', 'marks', 'reviews'].includes(journal)) {
      named.push(`${run}/${journal}`);
      continue;
    }
    await db.deleteFrom('notes').where('run', '=', run).where('journal', '=', journal).execute();
    const moved = retainedRows.map((row, position) => ({ ...row, position }));
    for (let at = 0; at < moved.length; at += 500)
      await db
        .insertInto('notes')
        .values(moved.slice(at, at + 500))
        .execute();
  }
  return named;
}

/** Walks everything that refers to parts, and deletes the parts that were not reached. */
async function removeParts(db: Db): Promise<number> {
  const reached = new Set<string>();
  const waiting: string[] = [];
  const reach = (match: Iterable<string>) => {
    for (const address of match) {
      if (reached.has(address)) continue;
      reached.add(address);
      waiting.push(address);
    }
  };
  for (let after = -1; ; ) {
    const rows = await db
      .selectFrom('episodes')
      .select(['position', 'task'])
      .where('position', '>', after)
      .orderBy('position')
      .limit(500)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const { task } of rows) reach(referencesIn(JSON.parse(task) as Json));
    const positions = rows.map(({ position }) => Number(position));
    for (const { body } of await db.selectFrom('chunks').select('body').where('episode', 'in', positions).execute())
      reach(referencesIn(JSON.parse(`[${body}]`) as Json));
    after = Number(last.position);
  }
  while (waiting.length > 0) {
    const subset = waiting.splice(0, 500);
    for (const { parent, part } of await db.selectFrom('parts').select(['parent', 'part']).where('hash', 'in', subset).execute()) {
      if (parent !== null) reach([parent]);
      reach(referencesIn(JSON.parse(part) as Json));
    }
  }
  const all = await db.selectFrom('parts').select('hash').execute();
  const lost = all.map(({ hash }) => hash).filter((hash) => !reached.has(hash));
  for (let at = 0; at < lost.length; at += 500)
    await db
      .deleteFrom('parts')
      .where('hash', 'in', lost.slice(at, at + 500))
      .execute();
  return lost.length;
}
