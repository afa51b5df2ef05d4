/** @file The database under the SQL stores and queues, reached through Kysely, for both SQLite and PostgreSQL. */

import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { NewRows } from './new-rows.ts';
import type { EpisodesTable, ScoreBodiesTable, Tables } from './schema.ts';

export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  /** For single statements, each durable by itself. */
  readonly db: Kysely<Tables>;
  /** Runs all or nothing. The work may be repeated from its beginning, so it must change nothing outside the database. */
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
  /** Inserts up to 512 new episodes and returns their row numbers: fewer if one exists already, in which case nothing may be committed. */
  episodes(rows: readonly Insertable<EpisodesTable>[]): Promise<readonly OpenedEpisode[]>;
  /** Inserts up to 512 rows into `appearances`; updates the status of existing ones. */
  appearances(rows: readonly Tables['appearances'][]): Promise<void>;
  chunks(rows: readonly Tables['chunks'][]): Promise<void>;
  /** Inserts up to 512 rows into `parts`; existing ones are unchanged. */
  parts(rows: readonly Tables['parts'][]): Promise<void>;
  /** Inserts up to 512 rows into `scores`; existing ones are unchanged. */
  scores(rows: readonly Insertable<Tables['scores']>[]): Promise<void>;
  /** The rows of `score_bodies` with one of these hashes, at most 512, the variants in order. */
  scoreBodiesOf(hashes: readonly string[]): Promise<readonly Selectable<ScoreBodiesTable>[]>;
  /** Inserts up to 512 rows into `score_bodies`, and returns the number of each; null if it exists already. */
  scoreBodies(rows: readonly Insertable<ScoreBodiesTable>[]): Promise<readonly (number | null)[]>;
  /**
   * Inserts logs with all their data; `bodies` are the numbers of their distinct scores. Returns false if one exists already, in which case
   * nothing may be committed. Only file stores support this.
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
