/** @file Kysely on Node's built-in SQLite: one connection, handed to one user at a time. */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** `explain` turns what SQLite throws into a fault with a sentence. */
export function nodeSqlite(database: DatabaseSync, explain: (thrown: unknown) => unknown): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new NodeSqliteDriver(database, explain),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class NodeSqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #connection: Connection;
  /** Those who hold or await the connection: a reader between two statements of a transaction would see what may yet be undone. */
  #line: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(database: DatabaseSync, explain: (thrown: unknown) => unknown) {
    this.#database = database;
    this.#connection = new Connection(database, explain);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = this.#line;
    this.#line = promise;
    await turn;
    this.#release = resolve;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  /** Immediate: it waits for other processes now, and cannot find at its end that it read what has changed since. */
  async beginTransaction(): Promise<void> {
    this.#connection.run('begin immediate');
  }

  async commitTransaction(): Promise<void> {
    this.#connection.run('commit');
  }

  async rollbackTransaction(): Promise<void> {
    try {
      this.#database.exec('rollback');
    } catch {
      // After a full disk or a failed read SQLite has rolled back by itself; the first failure is the one to tell.
    }
  }

  /** Whoever opened the database closes it. */
  async destroy(): Promise<void> {}
}

class Connection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #explain: (thrown: unknown) => unknown;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, explain: (thrown: unknown) => unknown) {
    this.#database = database;
    this.#explain = explain;
  }

  run(sql: string, parameters: readonly unknown[] = []): unknown[] {
    try {
      return this.#prepare(sql, parameters.length).all(...(parameters as SQLInputValue[]));
    } catch (thrown) {
      throw this.#explain(thrown);
    }
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return { rows: this.run(sql, parameters) as Row[] };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it, and every store query is a page.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('This driver does not stream; ask for pages.');
  }

  /** Statements of many rows come in as many lengths: only short ones come back often enough to keep. */
  #prepare(sql: string, parameters: number): StatementSync {
    if (parameters > 32) return this.#database.prepare(sql);
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}
