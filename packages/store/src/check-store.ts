/**
 * @file Checks every record of a store, and moves bad ones with all their content into a file of lines next to the store. Nothing is
 * deleted silently.
 */

import { type EpisodeEvent, hash, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { entryProblem, eventProblem, runProblem, scoreProblem, specProblem } from './records.ts';
import { removeUnusedBodies } from './score-bodies.ts';
import { Pieces } from './shared-parts.ts';

export interface RecordProblem {
  /** Which record, e.g. `run "base"` or `episode 3f2a…`. */
  readonly record: string;
  readonly problem: string;
}

export interface StoreCheck {
  readonly counts: Readonly<Record<'runs' | 'specs' | 'episodes' | 'scores' | 'notes', number>>;
  readonly problems: readonly RecordProblem[];
  /** Remaining bytes of a file. */
  readonly free: number;
}

/** Saves rows of bad records before they leave the database; they are safe when the promise resolves. */
export type Quarantine = (rows: readonly JsonObject[]) => Promise<void>;

/** Checks everything. With a quarantine, bad records are passed to it and then removed. */
export async function checkStore(database: Database, quarantine: Quarantine | null = null): Promise<StoreCheck> {
  const check = new Check(database, quarantine);
  await check.runs();
  await check.specs();
  await check.episodes();
  await check.scores();
  await check.journals();
  await check.orphans();
  if (quarantine !== null && check.problems.length > 0) await database.transact(({ db, kind }) => removeUnusedBodies(db, kind));
  return { counts: check.counts, problems: check.problems, free: await freeBytes(database) };
}

/** A server frees space by itself. */
async function freeBytes({ db, kind }: Database): Promise<number> {
  if (kind === 'postgres') return 0;
  const query = sql<{ free: number }>`select freelist_count * page_size as free from pragma_freelist_count, pragma_page_size`;
  return (await query.execute(db)).rows[0]?.free ?? 0;
}

type RunRow = { readonly id: string; readonly work: string | null };
const page = 200;

class Check {
  readonly counts = { runs: 0, specs: 0, episodes: 0, scores: 0, notes: 0 };
  readonly problems: RecordProblem[] = [];
  readonly #database: Database;
  readonly #quarantine: Quarantine | null;
  readonly #pieces: Pieces;
  #runs: readonly RunRow[] = [];

  constructor(database: Database, quarantine: Quarantine | null) {
    this.#database = database;
    this.#quarantine = quarantine;
    this.#pieces = new Pieces(database.db);
  }

  async runs(): Promise<void> {
    const rows = await this.#database.db.selectFrom('runs').selectAll().orderBy('position').execute();
    this.#runs = rows;
    for (const row of rows) {
      this.counts.runs++;
      const problem = trouble(() => {
        const work = row.work === null ? {} : { work: JSON.parse(row.work) };
        return runProblem({ id: row.id, plan: JSON.parse(row.plan), episodes: Number(row.episodes), ...work });
      });
      await this.#report(`run "${row.id}"`, problem, [{ table: 'runs', row: plain(row) }], async (db) => {
        await db.deleteFrom('runs').where('id', '=', row.id).execute();
      });
    }
  }

  async specs(): Promise<void> {
    for (const row of await this.#database.db.selectFrom('specs').selectAll().orderBy('position').execute()) {
      this.counts.specs++;
      const problem = trouble(() => {
        const spec = JSON.parse(row.body) as Json;
        return specProblem(spec) ?? (hash(spec) === row.hash ? null : 'its hash does not match the one it is stored under');
      });
      await this.#report(`spec ${row.hash.slice(0, 12)}`, problem, [{ table: 'specs', row: plain(row) }], async (db) => {
        await db.deleteFrom('specs').where('hash', '=', row.hash).execute();
      });
    }
  }

  async episodes(): Promise<void> {
    for (let after = -1; ; ) {
      const query = this.#database.db.selectFrom('episodes').selectAll().where('position', '>', after).orderBy('position').limit(page);
      const rows = await query.execute();
      for (const row of rows) {
        this.counts.episodes++;
        const position = Number(row.position);
        const chunks = await this.#database.db.selectFrom('chunks').selectAll().where('episode', '=', position).orderBy('first').execute();
        const problem = await this.#logProblem(row, chunks);
        if (problem === null) continue;
        const scores = await this.#scoreRows().where('episode', '=', position).execute();
        const retained = [
          { table: 'episodes', row: plain(row) },
          ...chunks.map((chunk) => ({ table: 'chunks', row: plain(chunk) })),
          ...scores.map((score) => ({ table: 'scores', row: plain(score) })),
        ];
        await this.#report(`episode ${row.id}`, problem, retained, async (db) => {
          for (const table of ['scores', 'chunks', 'appearances'] as const)
            await db.deleteFrom(table).where('episode', '=', position).execute();
          await db.deleteFrom('episodes').where('position', '=', position).execute();
        });
      }
      const last = rows.at(-1);
      if (last === undefined) return;
      after = Number(last.position);
    }
  }

  async #logProblem(row: LogRow, chunks: readonly ChunkRow[]): Promise<string | null> {
    let next = 0;
    for (const { first, count } of chunks) {
      if (Number(first) !== next) return `its log has a gap: event ${next} was expected, but event ${first} comes`;
      next += Number(count);
    }
    if (next !== Number(row.events)) return `its log has ${next} events, but ${row.events} were counted`;
    try {
      const packed = chunks.flatMap(({ body }) => JSON.parse(`[${body}]`) as Json[]);
      if (packed.length !== next) return `its log holds ${packed.length} events where ${next} are named`;
      const events = (await this.#pieces.unpack(packed)) as readonly EpisodeEvent[];
      for (const [i, event] of events.entries()) {
        const problem = eventProblem(event, i);
        if (problem !== null) return problem;
      }
      const last = events.at(-1);
      const status = last?.kind === 'end' ? last.reason : 'running';
      if (status !== row.status) return `its status is "${row.status}", but its log says "${status}"`;
      if (events[0]?.kind !== 'start') return 'its log does not start with a start event';
      if (hash(events[0].cast as Json) !== hash(JSON.parse(row.casting) as Json)) return 'its cast differs from the one in its log';
      const [task] = await this.#pieces.unpack([JSON.parse(row.task) as Json]);
      return hash(task as Json) === hash(events[0].task) ? null : 'its task differs from the one in its log';
    } catch (thrown) {
      return sentenceOf(thrown);
    }
  }

  async scores(): Promise<void> {
    const { db } = this.#database;
    const count = db.selectFrom('scores').select((row) => row.fn.countAll().as('scores'));
    this.counts.scores = Number((await count.executeTakeFirstOrThrow()).scores);
    for (let after = -1; ; ) {
      const rows = await db.selectFrom('score_bodies').selectAll().where('number', '>', after).orderBy('number').limit(2000).execute();
      for (const row of rows) {
        const problem = trouble(() => {
          const score = JSON.parse(row.body) as Json;
          return scoreProblem(score) ?? (hash(score) === row.hash ? null : 'its hash does not match the one it is stored under');
        });
        if (problem === null) continue;
        const scores = await db.selectFrom('scores').selectAll().where('score', '=', row.number).execute();
        const retained = [{ table: 'score_bodies', row: plain(row) }, ...scores.map((score) => ({ table: 'scores', row: plain(score) }))];
        await this.#report(`score ${row.hash.slice(0, 12)}`, problem, retained, async (transaction) => {
          await transaction.deleteFrom('scores').where('score', '=', row.number).execute();
          await transaction.deleteFrom('score_bodies').where('number', '=', row.number).execute();
        });
      }
      const last = rows.at(-1);
      if (last === undefined) return;
      after = Number(last.number);
    }
  }

  /** Scores with their bodies, if they exist. */
  #scoreRows() {
    return this.#database.db
      .selectFrom('scores')
      .leftJoin('score_bodies', 'score_bodies.number', 'scores.score')
      .select(['position', 'episode', 'score', 'hash', 'body']);
  }

  async journals(): Promise<void> {
    const names = await this.#database.db.selectFrom('notes').select(['run', 'journal']).distinct().execute();
    for (const { run, journal } of names) {
      const kind = valueOr(() => (JSON.parse(this.#runs.find(({ id }) => id === run)?.work ?? 'null') as { kind?: string } | null)?.kind);
      const table = this.#database.db.selectFrom('notes').selectAll().where('run', '=', run).where('journal', '=', journal);
      const rows = await table.orderBy('position').execute();
      this.counts.notes += rows.length;
      const bad = rows.flatMap((row, i) => {
        const hole = Number(row.position) === i ? null : `its place is ${row.position}, but ${i} was expected`;
        const problem = hole ?? trouble(() => entryProblem(kind, journal, JSON.parse(row.body) as Json));
        return problem === null ? [] : [{ row, problem, moved: hole !== null }];
      });
      for (const { row, problem } of bad)
        this.problems.push({ record: `entry ${row.position} of the journal "${journal}" of run "${run}"`, problem });
      if (bad.length === 0 || this.#quarantine === null) continue;
      await this.#quarantine(bad.map(({ row, problem }) => ({ table: 'notes', row: plain(row), problem })));
      // A journal has no holes: later valid entries move up.
      const lost = new Set(bad.filter(({ moved }) => !moved).map(({ row }) => row));
      const good = rows.filter((row) => !lost.has(row)).map((row, position) => ({ ...row, position }));
      await this.#database.transact(async ({ db }) => {
        await db.deleteFrom('notes').where('run', '=', run).where('journal', '=', journal).execute();
        for (let at = 0; at < good.length; at += 500)
          await db
            .insertInto('notes')
            .values(good.slice(at, at + 500))
            .execute();
      });
    }
  }

  /** Rows that refer to an episode, or a body of a score, that does not exist. */
  async orphans(): Promise<void> {
    const { db: all } = this.#database;
    const builder = all.selectFrom('episodes').select('position');
    const bare = await this.#scoreRows().where('body', 'is', null).limit(10_000).execute();
    const alone = bare.length === 0 ? null : 'their contents are not in the store';
    const lost = bare.map((row) => ({ table: 'scores', row: plain(row) }));
    await this.#report(`${bare.length} rows of scores`, alone, lost, async (db) => {
      await db.deleteFrom('scores').where('score', 'not in', db.selectFrom('score_bodies').select('number')).execute();
    });
    for (const table of ['chunks', 'scores', 'appearances'] as const) {
      const rows: readonly object[] = await (table === 'scores'
        ? this.#scoreRows().where('episode', 'not in', builder).limit(10_000).execute()
        : all.selectFrom(table).selectAll().where('episode', 'not in', builder).limit(10_000).execute());
      if (rows.length === 0) continue;
      const retained = rows.map((row) => ({ table, row: plain(row) }));
      await this.#report(`${rows.length} rows of ${table}`, 'their episode is not in the store', retained, async (db) => {
        await db.deleteFrom(table).where('episode', 'not in', db.selectFrom('episodes').select('position')).execute();
      });
    }
  }

  async #report(
    record: string,
    problem: string | null,
    rows: readonly { readonly table: string; readonly row: JsonObject }[],
    remove: (db: Database['db']) => Promise<void>,
  ): Promise<void> {
    if (problem === null) return;
    this.problems.push({ record, problem });
    if (this.#quarantine === null) return;
    await this.#quarantine(rows.map((row) => ({ ...row, problem })));
    await this.#database.transact(({ db }) => remove(db));
  }
}

type LogRow = { readonly events: number; readonly status: string; readonly casting: string; readonly task: string };
type ChunkRow = { readonly first: number; readonly count: number; readonly body: string };

/** A row as JSON: PostgreSQL returns long numbers as text, which is fine here. */
function plain(row: object): JsonObject {
  return JSON.parse(JSON.stringify(row)) as JsonObject;
}

function trouble(look: () => string | null): string | null {
  try {
    return look();
  } catch (thrown) {
    return sentenceOf(thrown);
  }
}

function valueOr<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
