/** @file Kysely on PostgreSQL. Single statements go through the pool; those of a transaction stay with its connection. */

import type { CompiledQuery, DatabaseConnection, Dialect, QueryResult } from 'kysely';
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type pg from 'pg';
import type { Tables } from '../schema.ts';

/** Makes one statement. */
export type RunQuery = (text: string, values: readonly unknown[]) => Promise<pg.QueryResult>;

export function kyselyOn(ask: RunQuery): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: dialectOn(new Connection(ask)) });
}

function dialectOn(connection: Connection): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      beginTransaction: outside,
      commitTransaction: outside,
      rollbackTransaction: outside,
      releaseConnection: async () => {},
      destroy: async () => {},
    }),
  };
}

async function outside(): Promise<void> {
  throw new Error('Transactions are started by the database, which can retry them.');
}

class Connection implements DatabaseConnection {
  readonly #ask: RunQuery;

  constructor(ask: RunQuery) {
    this.#ask = ask;
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    // No stored name has a zero byte, so a search for one finds nothing; PostgreSQL would refuse the query.
    const values = query.kind === 'SelectQueryNode' ? parameters.map(toSearchValue) : parameters;
    const { rows, rowCount } = await this.#ask(sql, values);
    return { rows: rows as Row[], ...(rowCount !== null && { numAffectedRows: BigInt(rowCount) }) };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it, and every store query is a page.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('This driver does not support streaming. Read pages instead.');
  }
}

function toSearchValue(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
