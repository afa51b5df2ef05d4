/** @file A store on SQL tables. All queries use Kysely, so another database only needs a dialect and migrations. */

import {
  type AgentSpec,
  type EpisodeEvent,
  type EpisodeParts,
  type EpisodeQuery,
  type EpisodeRecord,
  type EpisodeTally,
  type Fault,
  type FoundEpisodes,
  type Json,
  type RunRecord,
  type Score,
  type ScoredEpisode,
  type Store,
  type StoreCatalog,
  type StoredEpisode,
  sentenceOf,
} from '@ludus-agents/kernel/internal/core/index';
import { withoutKeys } from '@ludus-agents/kernel/internal/core/spec-keys';
import type { Kysely, Selectable } from 'kysely';
import { checkLimit, checkName, closedFault, entriesFor, markHandled, readBack, toAddressed } from './append-rules.ts';
import { createCatalog } from './catalog.ts';
import { countEpisodes } from './count-episodes.ts';
import type { Database } from './database.ts';
import { EpisodeSearch } from './episode-search.ts';
import { GroupCommit } from './group-commit.ts';
import { searchable, type Write, writerOf } from './log-rows.ts';
import { Packer, type Shared } from './pack.ts';
import { packAppend } from './packed-block.ts';
import { type PackedLog, type PackedStore, readPackedLogs, readParts } from './packed-logs.ts';
import { readStored, recordsOf } from './read-stored.ts';
import { runProblem, specProblem } from './records.ts';
import type { Tables } from './schema.ts';
import { Pieces } from './shared-parts.ts';
import { StoredScores, scoreNumbersOf } from './stored-scores.ts';
import { writeBatch, writeNewLogs, writeParts } from './write-batch.ts';

export interface SqlOptions {
  /** Milliseconds that a write waits for others to share its commit. */
  readonly delay?: number | undefined;
  /** Nothing can be written to the database. */
  readonly readOnly?: boolean;
  /** The file of the database, if other threads can open it. */
  readonly file?: string;
  /** Makes a batch durable; in a transaction of the database by default. */
  readonly write?: (parts: readonly Shared[], writes: readonly Write[]) => Promise<readonly (Fault | null)[]>;
}

export class SqlStore implements Store, PackedStore {
  readonly unreadable = new Map<string, string>();
  readonly readOnly: boolean;
  readonly file: string | null;
  readonly catalog: StoreCatalog;
  readonly #database: Database;
  readonly #db: Kysely<Tables>;
  readonly #pieces: Pieces;
  readonly #storedScores: StoredScores;
  readonly #packer = new Packer((shared) => this.#parts.push(shared));
  readonly #commits: GroupCommit<Write>;
  readonly #write: NonNullable<SqlOptions['write']>;
  /** Shared by appends that wait for their commit. */
  #parts: Shared[] = [];
  #closing: Promise<void> | undefined;
  #search: EpisodeSearch | undefined;

  constructor(database: Database, options: SqlOptions = {}) {
    const { delay = 2, write = (parts, writes) => database.transact((scope) => writeBatch(scope, parts, writes)) } = options;
    this.#database = database;
    this.readOnly = options.readOnly ?? false;
    this.file = options.file ?? null;
    this.#write = write;
    this.#db = database.db;
    this.catalog = createCatalog(database, () => this.#settled());
    this.#pieces = new Pieces(database.db);
    this.#storedScores = new StoredScores(database.db);
    this.#commits = new GroupCommit((writes) => this.#commit(writes), { delay, writerOf });
  }

  async putRun(run: RunRecord): Promise<void> {
    this.#check();
    checkName('A run', run.id);
    const { id, episodes, plan, work } = run;
    const texts = { plan: toAddressed(withoutKeys(plan)).text, work: work === undefined ? null : toAddressed(work).text };
    const row = { id, episodes, ...texts, added: Date.now() };
    await this.#db
      .insertInto('runs')
      .values(row)
      .onConflict((on) => on.column('id').doNothing())
      .execute();
  }

  async run(id: string): Promise<RunRecord | null> {
    this.#check();
    const row = await this.#db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : this.#readable(`run "${id}"`, () => runOf(row), runProblem);
  }

  async runs(): Promise<readonly RunRecord[]> {
    this.#check();
    const rows = await this.#db.selectFrom('runs').selectAll().orderBy('position').execute();
    return rows.flatMap((row) => this.#readable(`run "${row.id}"`, () => runOf(row), runProblem) ?? []);
  }

  async putSpec(spec: AgentSpec): Promise<string> {
    this.#check();
    const { address, text } = toAddressed(spec);
    await this.#db
      .insertInto('specs')
      .values({ hash: address, parent: spec.parent ?? null, body: text })
      .onConflict((on) => on.column('hash').doNothing())
      .execute();
    return address;
  }

  async spec(address: string): Promise<AgentSpec | null> {
    this.#check();
    const row = await this.#db.selectFrom('specs').select('body').where('hash', '=', address).executeTakeFirst();
    return row === undefined ? null : JSON.parse(row.body);
  }

  async specs(query: { readonly parent?: string } = {}): Promise<readonly { readonly hash: string; readonly spec: AgentSpec }[]> {
    this.#check();
    const { parent } = query;
    const all = this.#db.selectFrom('specs').select(['hash', 'body']).orderBy('position');
    const rows = await (parent === undefined ? all : all.where('parent', '=', parent)).execute();
    return rows.flatMap(({ hash, body }) => {
      const spec = this.#readable(`spec ${hash.slice(0, 12)}`, (): AgentSpec => JSON.parse(body), specProblem);
      return spec === null ? [] : [{ hash, spec }];
    });
  }

  append(...of: Parameters<Store['append']>): Promise<void> {
    return markHandled(this.#append(...of));
  }

  putScores(...of: Parameters<Store['putScores']>): Promise<void> {
    return markHandled(this.#putScores(...of));
  }

  async events(episode: string, from = 0): Promise<readonly EpisodeEvent[]> {
    await this.#settled();
    const rows = await this.#db
      .selectFrom('chunks')
      .innerJoin('episodes', 'episodes.position', 'chunks.episode')
      .select(['first', 'body'])
      .where('episodes.id', '=', episode)
      .where((row) => row(row('first', '+', row.ref('count')), '>', from))
      .orderBy('first')
      .execute();
    const packed: Json[] = rows.flatMap(({ body }) => readBack(`[${body}]`) as Json[]);
    const retained = packed.slice(Math.max(0, from - Number(rows[0]?.first ?? 0)));
    return (await this.#pieces.unpack(retained)) as readonly EpisodeEvent[];
  }

  async episode(id: string): Promise<EpisodeRecord | null> {
    await this.#settled();
    const rows = await this.#db.selectFrom('episodes').selectAll().where('id', '=', id).execute();
    return (await recordsOf(rows, this.#pieces))[0] ?? null;
  }

  async episodes(query: EpisodeQuery = {}): Promise<readonly EpisodeRecord[]> {
    const rows = await (await this.#listed(query)).execute();
    return recordsOf(rows, this.#pieces);
  }

  async scoredEpisodes(query: EpisodeQuery = {}): Promise<readonly ScoredEpisode[]> {
    const listed = (await this.#listed(query)).select((row) => scoreNumbersOf(row, this.#database.kind).as('scores'));
    const rows = await listed.execute();
    const lists = await this.#storedScores.lists(rows);
    return (await recordsOf(rows, this.#pieces)).map((record) => ({ record, scores: lists.get(record.order) ?? [] }));
  }

  async tally(query: Omit<EpisodeQuery, 'before' | 'limit'> = {}): Promise<readonly EpisodeTally[]> {
    await this.#settled();
    return countEpisodes(this.#db, query);
  }

  async find(prefix: string, limit = 10): Promise<readonly string[]> {
    checkLimit(limit);
    await this.#settled();
    // A range, not LIKE: nothing to escape, and the index on ids answers it.
    const rows = await this.#db
      .selectFrom('episodes')
      .select('id')
      .where('id', '>=', prefix)
      .where('id', '<', `${prefix}\u{10ffff}`)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  }

  async search(query: string, limit?: number): Promise<FoundEpisodes> {
    checkLimit(limit);
    await this.#settled();
    this.#search ??= new EpisodeSearch(this.#database, this);
    return this.#search.search(query, limit);
  }

  async statuses(run: string): Promise<ReadonlyMap<string, EpisodeRecord['status']>> {
    await this.#settled();
    const statuses = new Map<string, EpisodeRecord['status']>();
    const page = 20_000;
    for (let after = 0, full = true; full; ) {
      const rows = await this.#db
        .selectFrom('episodes')
        .select(['position', 'id', 'status'])
        .where('run', '=', run)
        .where('position', '>', after)
        .orderBy('position')
        .limit(page)
        .execute();
      for (const { id, status } of rows) statuses.set(id, status);
      after = Number(rows.at(-1)?.position);
      full = rows.length === page;
    }
    return statuses;
  }

  async scores(episode: string): Promise<readonly Score[]> {
    await this.#settled();
    const rows = await this.#db
      .selectFrom('scores')
      .innerJoin('episodes', 'episodes.position', 'scores.episode')
      .innerJoin('score_bodies', 'score_bodies.number', 'scores.score')
      .select('body')
      .where('episodes.id', '=', episode)
      .orderBy('scores.position')
      .execute();
    return rows.map(({ body }) => JSON.parse(body));
  }

  async read(episodes: readonly string[], parts: EpisodeParts): Promise<ReadonlyMap<string, StoredEpisode>> {
    await this.#settled();
    return readStored({ db: this.#db, pieces: this.#pieces, scores: this.#storedScores }, episodes, parts);
  }

  async packedLogs(episodes: readonly string[]): Promise<ReadonlyMap<string, PackedLog>> {
    await this.#settled();
    return readPackedLogs(this.#db, this.#storedScores, episodes);
  }

  partsOf(...of: Parameters<PackedStore['partsOf']>): ReturnType<PackedStore['partsOf']> {
    return readParts(this.#pieces, ...of);
  }

  async writePacked(...[parts, blocks]: Parameters<PackedStore['writePacked']>): Promise<boolean> {
    await this.#settled();
    try {
      await this.#database.transact(async (scope) => {
        await writeParts(scope, parts);
        if (!(await writeNewLogs(scope, blocks))) throw new NotNew('A log already exists.');
      });
      return true;
    } catch (thrown) {
      if (!(thrown instanceof NotNew)) throw thrown;
      await this.#database.transact((scope) => writeParts(scope, parts));
      return false;
    }
  }

  async note(run: string, journal: string, index: number, entries: readonly Json[]): Promise<void> {
    this.#check();
    checkName('A run', run);
    checkName('A journal', journal);
    await this.#database.transact(async ({ db }) => {
      // Positions have no holes, so the last one is the length of a journal without counting.
      const { last } = await db
        .selectFrom('notes')
        .select((row) => row.fn.max('position').as('last'))
        .where('run', '=', run)
        .where('journal', '=', journal)
        .executeTakeFirstOrThrow();
      const bodies = entriesFor(run, journal, { index, length: last === null ? 0 : Number(last) + 1 }, entries);
      const rows = bodies.map((body, i) => ({ run, journal, position: index + i, body }));
      for (let at = 0; at < rows.length; at += 500)
        await db
          .insertInto('notes')
          .values(rows.slice(at, at + 500))
          .execute();
    });
  }

  async notes(run: string, journal: string, from = 0): Promise<readonly Json[]> {
    this.#check();
    const rows = await this.#db
      .selectFrom('notes')
      .select('body')
      .where('run', '=', run)
      .where('journal', '=', journal)
      .where('position', '>=', from)
      .orderBy('position')
      .execute();
    return rows.map(({ body }) => readBack(body));
  }

  async journals(run: string): Promise<Readonly<Record<string, number>>> {
    this.#check();
    const rows = await this.#db
      .selectFrom('notes')
      .select((row) => ['journal', row.fn.countAll().as('length')] as const)
      .where('run', '=', run)
      .groupBy('journal')
      .orderBy('journal')
      .execute();
    return Object.fromEntries(rows.map(({ journal, length }) => [journal, Number(length)]));
  }

  close(): Promise<void> {
    this.#closing ??= this.#commits.settle().then(() => this.#database.close());
    return this.#closing;
  }

  /** The rows of a list, as a query. */
  async #listed(query: EpisodeQuery) {
    checkLimit(query.limit);
    await this.#settled();
    const { run, environment, agent, status, before, limit, since, until } = query;
    // One table must both narrow and order, or SQLite sorts everything that fits before it cuts the page.
    const column = (name: string) => this.#db.dynamic.ref(agent === undefined ? `episodes.${name}` : `appearances.${name}`);
    const order = column(agent === undefined ? 'position' : 'episode');
    return this.#db
      .selectFrom('episodes')
      .selectAll('episodes')
      .$if(agent !== undefined, (q) =>
        q.innerJoin('appearances', 'appearances.episode', 'episodes.position').where('agent', '=', searchable(agent as string)),
      )
      .$if(run !== undefined, (q) => q.where(column('run'), '=', run))
      .$if(environment !== undefined, (q) => q.where(column('environment'), '=', environment))
      .$if(status !== undefined, (q) => q.where(column('status'), '=', status))
      .$if(since !== undefined, (q) => q.where('episodes.added', '>=', since as number))
      .$if(until !== undefined, (q) => q.where('episodes.added', '<', until as number))
      .$if(before !== undefined, (q) => q.where(order, '<', before))
      .orderBy(order, 'desc')
      .$if(limit !== undefined, (q) => q.limit(limit as number));
  }

  async #append(...[episode, index, events, run, writer, versions]: Parameters<Store['append']>): Promise<void> {
    this.#check();
    // Packed now, not at the commit: later changes by an agent are not recorded.
    const packed = packAppend(this.#packer, episode, index, events, run, versions);
    if (packed === null) return;
    if (this.#packer.size > 2 ** 24) this.#packer.forget();
    await this.#commits.add({ ...packed, writer }, packed.body.length);
  }

  async #putScores(...[episode, scores]: Parameters<Store['putScores']>): Promise<void> {
    this.#check();
    const texts = scores.map(toAddressed);
    const weight = texts.reduce((sum, { text }) => sum + text.length, 0);
    await this.#commits.add({ kind: 'scores', episode, scores: texts }, weight);
  }

  async #commit(writes: readonly Write[]): Promise<readonly (Fault | null)[]> {
    const parts = this.#parts;
    this.#parts = [];
    try {
      return await this.#write(parts, writes);
    } catch (thrown) {
      // Parts that were to be stored just now are not: the next write that needs them must bring them again.
      this.#parts = [];
      this.#packer.forget();
      throw thrown;
    }
  }

  /** A record, or null if it is damaged: one bad record doesn't hide the others. Skipped records are remembered. */
  #readable<T>(name: string, read: () => T, problemOf: (record: T) => string | null): T | null {
    let problem: string | null;
    try {
      const record = read();
      problem = problemOf(record);
      if (problem === null) return record;
    } catch (thrown) {
      problem = sentenceOf(thrown);
    }
    this.unreadable.set(name, problem);
    return null;
  }

  /** A reader sees all that was appended before its query. */
  async #settled(): Promise<void> {
    this.#check();
    await this.#commits.settle();
  }

  #check(): void {
    if (this.#closing !== undefined) throw closedFault();
  }
}

/** Undoes a transaction of logs that cannot be written as new ones. */
class NotNew extends Error {}

function runOf({ id, episodes, plan, work }: Selectable<Tables['runs']>): RunRecord {
  return { id, plan: JSON.parse(plan), episodes: Number(episodes), ...(work !== null && { work: JSON.parse(work) }) };
}
