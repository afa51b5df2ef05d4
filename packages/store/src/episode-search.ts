/**
 * @file Full-text search over the messages of episodes: FTS5 in SQLite, tsvector in PostgreSQL, behind one interface.
 *
 * The index is created by the first search, and each search updates a part of it. So writing an episode has no overhead, and a search over
 * a large store returns at once, with the number of episodes not yet indexed. Every episode in the results still exists.
 */

import type { EpisodeEvent, EpisodeRecord, FoundEpisodes } from '@ludus-agents/kernel/internal/core/index';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { excerptOf, foldedWords, readSearch, type SearchWords, wordsIn } from './search-words.ts';

/** Episodes that one search reads into the index, and how many of them in one transaction: others are served in between. */
const [mostRead, slice] = [200, 20];

const tables: Readonly<Record<Database['kind'], readonly string[]>> = {
  sqlite: [
    'create table if not exists searched (episode integer primary key, events integer not null) strict',
    "create virtual table if not exists said using fts5(body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0')",
  ],
  postgres: [
    'create table if not exists searched (episode bigint primary key, events bigint not null, body tsvector not null)',
    'create index if not exists searched_words on searched using gin (body)',
  ],
};

export interface SearchedStore {
  events(episode: string): Promise<readonly EpisodeEvent[]>;
  episode(id: string): Promise<EpisodeRecord | null>;
}

export class EpisodeSearch {
  readonly #database: Database;
  readonly #store: SearchedStore;
  #ready: Promise<void> | null = null;

  constructor(database: Database, store: SearchedStore) {
    this.#database = database;
    this.#store = store;
  }

  async search(typed: string, limit = 50): Promise<FoundEpisodes> {
    const wanted = readSearch(typed);
    await this.#open();
    const pending = await this.#read();
    const matches: FoundEpisodes['found'][number][] = [];
    for (const id of await this.#matches(wanted, limit)) {
      const episode = await this.#store.episode(id);
      if (episode !== null) matches.push({ episode, excerpt: excerptOf(wordsIn(await this.#store.events(id)), wanted) });
    }
    return { found: matches, pending };
  }

  async #open(): Promise<void> {
    this.#ready ??= (async () => {
      for (const statement of tables[this.#database.kind]) await sql.raw(statement).execute(this.#database.db);
    })();
    try {
      await this.#ready;
    } catch (thrown) {
      this.#ready = null;
      throw thrown;
    }
  }

  /** Indexes new and grown episodes, newest first; returns the number of remaining ones. */
  async #read(): Promise<number> {
    const { db } = this.#database;
    const stale = sql`from episodes left join searched on searched.episode = episodes.position
      where searched.episode is null or searched.events < episodes.events`;
    const { rows } = await sql<{ position: number; id: string; events: number }>`
      select episodes.position, episodes.id, episodes.events ${stale} order by episodes.position desc limit ${mostRead}`.execute(db);
    for (let at = 0; at < rows.length; at += slice) {
      const subset = await Promise.all(
        rows.slice(at, at + slice).map(async ({ position, id, events }) => {
          const indexedText = foldedWords(wordsIn(await this.#store.events(id))).join(' ');
          return { position: Number(position), events: Number(events), words: indexedText };
        }),
      );
      await this.#write(subset);
      // Others of this process have their turn.
      await new Promise(setImmediate);
    }
    if (rows.length < mostRead) return 0;
    const left = await sql<{ n: number }>`select count(*) as n ${stale}`.execute(db);
    return Number(left.rows[0]?.n ?? 0);
  }

  #write(subset: readonly { readonly position: number; readonly events: number; readonly words: string }[]): Promise<void> {
    return this.#database.transact(async ({ db, kind }) => {
      for (const { position, events, words } of subset) {
        if (kind === 'postgres') {
          await sql`insert into searched (episode, events, body) values (${position}, ${events}, to_tsvector('simple', ${words}))
            on conflict (episode) do update set events = excluded.events, body = excluded.body`.execute(db);
          continue;
        }
        await sql`delete from said where rowid = ${position}`.execute(db);
        await sql`insert into said (rowid, body) values (${position}, ${words})`.execute(db);
        await sql`insert or replace into searched (episode, events) values (${position}, ${events})`.execute(db);
      }
    });
  }

  /** Names of episodes that have all of it, the best first. */
  async #matches({ phrases, open }: SearchWords, limit: number): Promise<readonly string[]> {
    const { db, kind } = this.#database;
    const last = (i: number) => open && i === phrases.length - 1;
    if (kind === 'postgres') {
      // Words are letters and digits alone, so nothing in them is an operator.
      const query = phrases.map((phrase, i) => `(${phrase.join(' <-> ')}${last(i) ? ':*' : ''})`).join(' & ');
      const { rows } = await sql<{ id: string }>`select episodes.id from searched join episodes on episodes.position = searched.episode
        where body @@ to_tsquery('simple', ${query}) order by ts_rank(body, to_tsquery('simple', ${query})) desc, position desc limit ${limit}`.execute(
        db,
      );
      return rows.map(({ id }) => id);
    }
    const query = phrases.map((phrase, i) => `"${phrase.join(' ')}"${last(i) ? '*' : ''}`).join(' AND ');
    const { rows } = await sql<{ id: string }>`select episodes.id from said join episodes on episodes.position = said.rowid
      where said match ${query} order by rank, position desc limit ${limit}`.execute(db);
    return rows.map(({ id }) => id);
  }
}

/** Deletes the index; the next search rebuilds it without deleted episodes. */
export async function dropSearch({ db, kind }: Pick<Database, 'db' | 'kind'>): Promise<void> {
  if (kind === 'sqlite') await sql`drop table if exists said`.execute(db);
  await sql`drop table if exists searched`.execute(db);
}
