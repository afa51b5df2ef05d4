/**
 * @file Connects to a PostgreSQL server: a pool of connections that survives restarts, interrupted networks, and unresponsive servers.
 *
 * Our single statements can safely be repeated, so they are retried until the patience ends. A transaction is restarted only if it was
 * certainly not committed: the server records the outcome of every transaction, and is asked for it.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresAddress } from './address.ts';
import { collides, explainFault, passes } from './trouble.ts';

export interface LineOptions {
  /** The most concurrent connections. */
  readonly connections?: number | undefined;
  /** The longest wait for an unavailable or unresponsive server, in milliseconds. */
  readonly patience?: number | undefined;
}

export type Client = pg.PoolClient;

export class PostgresPool {
  readonly address: PostgresAddress;
  readonly #pool: pg.Pool;
  readonly #patience: number;
  readonly #silence: number;
  #closed = false;

  constructor(address: PostgresAddress, { connections = 8, patience = 30_000 }: LineOptions = {}) {
    this.address = address;
    this.#patience = patience;
    this.#silence = address.silence;
    this.#pool = new pg.Pool({ ...configOf(address), max: connections, idleTimeoutMillis: 30_000 });
    // An idle connection that breaks is replaced when it is needed.
    this.#pool.on('error', () => {});
  }

  /** One statement by itself. */
  query(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    return this.#patiently(() => this.#use((client) => client.query(text, values as unknown[])));
  }

  /** Everything or nothing, once. */
  transact<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#patiently(() => this.#attempt(work));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#pool.end();
  }

  async #attempt<T>(work: (client: Client) => Promise<T>): Promise<T> {
    let transaction = '';
    let result: { readonly of: T } | undefined;
    try {
      return await this.#use(async (client) => {
        const begun = (await client.query('begin; select pg_current_xact_id()::text as id')) as unknown as pg.QueryResult[];
        transaction = begun[1]!.rows[0]?.id as string;
        try {
          result = { of: await work(client) };
        } catch (thrown) {
          if (!passes(thrown)) await client.query('rollback');
          throw thrown;
        }
        await client.query('commit');
        return result.of;
      });
    } catch (thrown) {
      // Lost between "commit" and its answer: only the server knows whether it committed.
      if (result === undefined || !passes(thrown) || !(await this.#committed(transaction))) throw thrown;
      return result.of;
    }
  }

  async #committed(transaction: string): Promise<boolean> {
    for (;;) {
      const { rows } = await this.query('select pg_xact_status($1::text::xid8) as status', [transaction]);
      const { status } = rows[0] as { status: string | null };
      if (status !== 'in progress') return status === 'committed';
      await sleep(50);
    }
  }

  /** Retries while the failure may be temporary. */
  async #patiently<T>(attempt: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#patience;
    for (let wait = 20, met = 0; ; wait = Math.min(wait * 2, 1000)) {
      try {
        return await attempt();
      } catch (thrown) {
        const again = collides(thrown) ? ++met < 20 : passes(thrown);
        if (this.#closed || !again || performance.now() + wait > until) throw explainFault(this.address.shown, thrown);
      }
      await sleep(wait);
    }
  }

  /** A connection for the duration of `work`. A silent connection is closed, and a failed one is not reused. */
  async #use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    const ignore = () => {};
    client.on('error', ignore);
    const watch = setTimeout(() => cut(client), this.#silence);
    let broken = false;
    try {
      return await work(client);
    } catch (thrown) {
      broken = passes(thrown);
      throw thrown;
    } finally {
      clearTimeout(watch);
      client.off('error', ignore);
      client.release(broken);
    }
  }
}

/** A caller that waits for an answer learns that the connection has ended. */
export function cut(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(reason: Error): void } } };
  connection?.stream?.destroy(new Error('Connection timed out: the server does not respond'));
}

/** The settings of all our connections. A process that is stopped in the middle of a transaction must not block others for long. */
export function configOf(address: PostgresAddress): pg.ClientConfig {
  const { host, port, database, user, password, ssl, schema, silence } = address;
  return {
    ...{ host, port, database, ssl, application_name: 'ludus', keepAlive: true },
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    connectionTimeoutMillis: Math.min(silence, 10_000),
    options: `-c search_path=${schema} -c idle_in_transaction_session_timeout=${Math.round(silence)} -c lock_timeout=${Math.round(silence / 2)}`,
    types: { getTypeParser: (oid, format) => (numbers.has(oid) ? Number : pg.types.getTypeParser(oid, format)) as never },
  };
}

/** bigint and numeric: all of ours are counts, times and positions below 2^53. */
const numbers: ReadonlySet<number> = new Set([20, 1700]);
