/** @file Opens stores by address: memory, a SQLite file, PostgreSQL. The database is loaded when it is opened, not before. */

import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault, type JobQueue, type SharedBudget, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { Quarantine, StoreCheck } from './check-store.ts';
import type { Database } from './database.ts';
import type { ForgetQuery, ForgetReport } from './forget.ts';
import { memoryStore } from './memory.ts';
import { isPostgres } from './postgres/address.ts';
import type { PostgresOptions } from './postgres/index.ts';
import type { SqliteOptions } from './sqlite.ts';

export { copyStore } from './copy.ts';
export type { ForgetReport } from './forget.ts';
export { importJsonl } from './import-jsonl.ts';
export { exportJsonl } from './jsonl.ts';
export { memoryStore } from './memory.ts';
export type { SqliteOptions } from './sqlite.ts';

/** Opens a store by where it is: "memory:", the path of a file, or the address of a PostgreSQL server. */
export async function openStore(where: string, options: Pick<SqliteOptions, 'readOnly'> = {}): Promise<Store> {
  if (where === 'memory:') return memoryStore();
  if (isPostgres(where) && options.readOnly === true)
    throw new Fault(
      'store',
      'A PostgreSQL store is opened for reading with a read-only role. "ludus store roles --reader NAME" prints what to grant.',
    );
  if (isPostgres(where)) return postgresStore(where);
  if (!isFile(where))
    throw new Fault('store', `A store must be "memory:", a file path, or postgres://…, but got "${redactAddress(where)}".`);
  return sqliteStore(where, options);
}

/**
 * The same for servers: writes become durable five times a second, or when a reader comes, and a file is written by its own thread.
 */
export async function serverStore(where: string, options: Pick<SqliteOptions, 'readOnly'> = {}): Promise<Store> {
  const delay = 200;
  if (isFile(where) && (await import('./sqlite.ts')).isReadOnly(where, options)) return sqliteStore(where, { readOnly: true });
  if (isPostgres(where)) return postgresStore(where, { delay });
  return isFile(where) ? (await import('./threaded-store.ts')).threadedStore(where, { delay }) : openStore(where);
}

/** Opens a SQLite file, or makes it. */
export async function sqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const room = await import('./sqlite.ts');
  return room.sqliteStore(path, options);
}

/** Opens a store on a PostgreSQL server. */
async function postgresStore(where: string, options: PostgresOptions = {}): Promise<Store> {
  const room = await import('./postgres/index.ts');
  return room.postgresStore(where, options);
}

/** A store with its job queue and budget ledger, shared by workers. All are in one database and closed together. */
export interface SharedStore {
  readonly store: Store;
  readonly jobs: JobQueue;
  readonly ledger: SharedBudget;
  close(): Promise<void>;
}

/** Opens a store that workers can share: a file on this machine, or a PostgreSQL server. */
export async function openSharedStore(where: string, options: PostgresOptions & SqliteOptions = {}): Promise<SharedStore> {
  if (!isFile(where) && !isPostgres(where))
    throw new Fault('store', `Workers need a store in a file or at postgres://…, but got "${redactAddress(where)}".`);
  return createSharedStore(await databaseAt(where, options), options.delay);
}

async function databaseAt(where: string, options: PostgresOptions & SqliteOptions): Promise<Database> {
  if (isPostgres(where)) return (await import('./postgres/index.ts')).openPostgres(where, options);
  return (await import('./sqlite.ts')).openSqlite(where, options);
}

async function createSharedStore(database: Database, delay: number | undefined): Promise<SharedStore> {
  const [{ SqlStore }, { SqlJobs }, { SqlLedger }] = await Promise.all([
    import('./sql.ts'),
    import('./job-queue.ts'),
    import('./shared-budget.ts'),
  ]);
  const store = new SqlStore(database, { delay });
  const jobs = new SqlJobs(database);
  return {
    store,
    jobs,
    ledger: new SqlLedger(database),
    async close() {
      await jobs.settle();
      await store.close();
    },
  };
}

export function isFile(where: string): boolean {
  return where !== '' && where !== 'memory:' && !/^[a-z][a-z0-9+.-]+:\/\//i.test(where);
}

/** An address without its login: messages must never contain passwords. */
export function redactAddress(where: string): string {
  return where.replace(/\/\/[^@/]*@/, '//…@');
}

/** Deletes episodes and runs for real; see forget.ts. */
export async function forgetIn(where: string, query: ForgetQuery): Promise<ForgetReport> {
  const room = await import('./forget.ts');
  const database = await databaseAt(where, {});
  return room.forgetRecords(database, query).finally(() => database.close());
}

/** Names of episodes that were stored before a time. */
export async function storedBeforeIn(where: string, time: number): Promise<readonly string[]> {
  const room = await import('./forget.ts');
  const database = await databaseAt(where, {});
  return room.storedBefore(database, time).finally(() => database.close());
}

/** Checks every record of a store; see check-store.ts. A file that can be written is brought up to date first. */
export async function checkStoreAt(
  where: string,
  quarantine: Quarantine | null,
  options: Pick<SqliteOptions, 'readOnly'> = {},
): Promise<StoreCheck> {
  const room = await import('./check-store.ts');
  const readOnly = isFile(where) && (await import('./sqlite.ts')).isReadOnly(where, options);
  const database = await databaseAt(where, { readOnly, allowDamaged: true });
  return room.checkStore(database, quarantine).finally(() => database.close());
}

/** The problems that SQLite's own check finds in a file. A damaged file is marked, so that writes are rejected whatever its size. */
export async function checkPages(where: string, full: boolean): Promise<readonly string[]> {
  const { damageMark, findDamageIn } = await import('./sqlite.ts');
  const problems = findDamageIn(where, full);
  const mark = damageMark(resolve(where));
  if (problems.length === 0) rmSync(mark, { force: true });
  else writeFileSync(mark, `${problems.join('\n')}\n`, { mode: 0o600 });
  return problems;
}

/** Removes a run from a store with all its data; returns the number of its episodes. */
export async function pruneRun(where: string, run: string): Promise<number> {
  const room = await import('./prune.ts');
  const database = await databaseAt(where, {});
  return room.pruneRun(database, run).finally(() => database.close());
}
