/** @file What the SQL stores and queues stand on: one database, reached through Kysely, whichever it is. */

import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  /** For single statements, each durable by itself. */
  readonly db: Kysely<Tables>;
  /** Everything or nothing. The work may be done again from its beginning, so it changes nothing outside the database. */
  transact<T>(work: (scope: Scope) => Promise<T>): Promise<T>;
  /** Hears of what other processes have told, until the returned function is called. */
  listen(hear: (word: string) => void): () => void;
  /** Tells every process that listens; nobody may count on being heard. */
  tell(word: string): Promise<void>;
  close(): Promise<void>;
}

/** A transaction under way. */
export interface Scope {
  readonly kind: Database['kind'];
  readonly db: Kysely<Tables>;
  /** Writes rows of `chunks` by the fastest way there is. */
  chunks(rows: readonly Tables['chunks'][]): Promise<void>;
  /** Writes rows of `parts`, at most 500; those that are there already are left. */
  parts(rows: readonly Tables['parts'][]): Promise<void>;
}

/** Thrown in a transaction that met another one: it is rolled back and done again. */
export class Collision extends Error {}
