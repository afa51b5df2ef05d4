/** @file Kysely on Node's built-in SQLite: one connection, used by one caller at a time. */

import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';

export interface NodeSqliteOptions {
  /** Converts SQLite's errors to faults with a readable message. */
  readonly explain: (thrown: unknown) => unknown;
  /** Milliseconds to wait for another writer. The wait is here and not in SQLite: the other writer may be in this process. */
  readonly patience: number;
}

export function nodeSqlite(database: DatabaseSync, options: NodeSqliteOptions): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new NodeSqliteDriver(database, options),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class NodeSqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #connection: Connection;
  /** The queue for the connection: a reader between two statements of a transaction would see data that may be rolled back. */
  #line: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(database: DatabaseSync, options: NodeSqliteOptions) {
    this.#database = database;
    this.#connection = new Connection(database, options);
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

  /** Immediate: waits for other processes now, so that it cannot fail later because its data has changed. */
  async beginTransaction(): Promise<void> {
    await this.#connection.patiently('begin immediate');
  }

  async commitTransaction(): Promise<void> {
    await this.#connection.patiently('commit');
  }

  async rollbackTransaction(): Promise<void> {
    try {
      this.#database.exec('rollback');
    } catch {
      // After a full disk or a failed read SQLite has rolled back by itself; the first failure is the one to report.
    }
  }

  /** The opener of the database closes it. */
  async destroy(): Promise<void> {}
}

class Connection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #options: NodeSqliteOptions;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync, options: NodeSqliteOptions) {
    this.#database = database;
    this.#options = options;
  }

  async patiently(sql: string, parameters: readonly unknown[] = []): Promise<unknown[]> {
    const began = performance.now();
    for (let wait = 1; ; wait = Math.min(wait * 2, 20)) {
      try {
        const { statement, toRows } = this.#prepare(sql);
        return toRows(statement.all(...(parameters as SQLInputValue[])) as unknown as SQLOutputValue[][]);
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() - began > this.#options.patience) throw this.#options.explain(thrown);
      }
      await sleep(wait);
    }
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return { rows: (await this.patiently(sql, parameters)) as Row[] };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it, and every store query is a page.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('This driver does not support streaming. Read pages instead.');
  }

  /** Pages come back with the same text again and again; the statement that was used longest ago is let go. */
  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      const statement = this.#database.prepare(sql);
      // Rows as lists: creating an object per row in SQLite's binding takes twice as long, and reading it is slower too.
      statement.setReturnArrays(true);
      prepared = { statement, toRows: rowsWith(statement.columns().map(({ name }) => name)) };
      if (this.#prepared.size >= mostPrepared) this.#prepared.delete(this.#prepared.keys().next().value as string);
    } else this.#prepared.delete(sql);
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

const mostPrepared = 64;

interface Prepared {
  readonly statement: StatementSync;
  readonly toRows: (lists: readonly SQLOutputValue[][]) => unknown[];
}

/** Makes objects of rows that came as lists. */
function rowsWith(columns: readonly string[]): Prepared['toRows'] {
  return (lists) => {
    const rows: unknown[] = [];
    for (const list of lists) {
      const row: Record<string, SQLOutputValue> = {};
      for (let i = 0; i < columns.length; i++) row[columns[i]!] = list[i]!;
      rows.push(row);
    }
    return rows;
  };
}

function isBusy(thrown: unknown): boolean {
  const code = (thrown as { errcode?: unknown }).errcode;
  return typeof code === 'number' && (code & 0xff) === 5;
}
