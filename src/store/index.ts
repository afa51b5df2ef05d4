/** @file The door of the store room. The database is loaded when a file is opened, not before. */

import { Fault, type Store } from '../core/index.ts';
import { memoryStore } from './memory.ts';
import { isPostgres } from './postgres/address.ts';
import type { PostgresOptions } from './postgres/index.ts';
import type { SqliteOptions } from './sqlite.ts';

export { exportJsonl, type ImportCounts, importJsonl } from './jsonl.ts';
export { memoryStore } from './memory.ts';
export type { SqliteOptions } from './sqlite.ts';

/** Opens a store by where it is: "memory:", the path of a file, or the address of a PostgreSQL server. */
export async function openStore(where: string): Promise<Store> {
  if (where === 'memory:') return memoryStore();
  if (isPostgres(where)) return postgresStore(where);
  if (where === '' || /^[a-z][a-z0-9+.-]+:\/\//i.test(where))
    throw new Fault('store', `A store is "memory:", the path of a file, or postgres://…, but came as "${where}".`);
  return sqliteStore(where);
}

/** Opens a SQLite file, or makes it. */
export async function sqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const room = await import('./sqlite.ts');
  return room.sqliteStore(path, options);
}

/** Opens a store on a PostgreSQL server. */
export async function postgresStore(where: string, options: PostgresOptions = {}): Promise<Store> {
  const room = await import('./postgres/index.ts');
  return room.postgresStore(where, options);
}
