/** @file The database under the SQL stores and queues, reached through Kysely, for both SQLite and PostgreSQL. */

import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { NewRows } from './new-rows.ts';
import type { EpisodesTable, ScoreBodiesTable, Tables } from './schema.ts';

export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  /** For single statements, each durable by itself. */
  readonly db: Kysely<Tables>;
  /** Everything or nothing. The work may be done again from its beginning, so it changes nothing outside the database. */
  transact<T>(work: (scope: TransactionScope) => Promise<T>): Promise<T>;
  /** Receives notes of other processes, until the returned function is called. */
  listen(hear: (word: string) => void): () => void;
  /** Notifies every process that listens; delivery is not guaranteed. */
  tell(word: string): Promise<void>;
  close(): Promise<void>;
}

/** A new row of episodes, and its place. */
export interface OpenedEpisode {
  readonly id: string;
  readonly position: number;
}

/** A transaction under way. It writes many rows by the fastest way that its database has. */
export interface TransactionScope {
  readonly kind: Database['kind'];
  readonly db: Kysely<Tables>;
  /** Writes rows of new episodes, at most 512, and gives their places: fewer where one is there already, and then nothing is to be kept. */
  episodes(rows: readonly Insertable<EpisodesTable>[]): Promise<readonly OpenedEpisode[]>;
  /** Writes rows of `appearances`, at most 512; of those that are there the status is changed. */
  appearances(rows: readonly Tables['appearances'][]): Promise<void>;
  chunks(rows: readonly Tables['chunks'][]): Promise<void>;
  /** Writes rows of `parts`, at most 512; those that are there already are left. */
  parts(rows: readonly Tables['parts'][]): Promise<void>;
  /** Writes rows of `scores`, at most 512; those that are there already are left. */
  scores(rows: readonly Insertable<Tables['scores']>[]): Promise<void>;
  /** The rows of `score_bodies` with one of these hashes, at most 512, the variants in order. */
  scoreBodiesOf(hashes: readonly string[]): Promise<readonly Selectable<ScoreBodiesTable>[]>;
  /** Writes rows of `score_bodies`, at most 512, and gives the number of each; null where it is there already. */
  scoreBodies(rows: readonly Insertable<ScoreBodiesTable>[]): Promise<readonly (number | null)[]>;
  /**
   * Writes logs with all that belongs to them; the bodies of their different scores have these numbers. False where one is there already, and
   * then nothing is to be kept. A file alone has this.
   */
  newLogs?(rows: NewRows, bodies: readonly number[]): boolean;
}

/** Thrown in a transaction that met another one: it is rolled back and done again. */
export class Collision extends Error {}

/** The time at which a statement runs: in PostgreSQL a transaction's own now() does not advance. */
export function databaseNow(kind: Database['kind']): RawBuilder<number> {
  return kind === 'postgres'
    ? sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}
