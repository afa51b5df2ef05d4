/** @file The embedded store: one SQLite file, opened with care. A file that is not ours, or newer than us, is left as it is. */

import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Fault, isFault, type Store, safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { Kysely } from 'kysely';
import type { Database } from './database.ts';
import { applicationId, migrations, type Tables } from './schema.ts';
import { SqlStore } from './sql.ts';
import { nodeSqlite } from './sqlite-dialect.ts';
import { rowInserts } from './sqlite-inserts.ts';

export interface SqliteOptions {
  /** Milliseconds that a write waits for others to share its commit. */
  readonly delay?: number;
  /** Milliseconds to wait for another process that is writing. */
  readonly patience?: number;
  /** The file may not grow beyond this. */
  readonly maxBytes?: number;
  /** Nothing is changed, not even the schema. Also chosen where the file or its folder cannot be written. */
  readonly readOnly?: boolean;
  /** Open a damaged file too: for the checks that report and repair it. */
  readonly allowDamaged?: boolean;
}

/** Opens or creates a file. Appended data is on disk when its promise resolves. */
export async function sqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const readOnly = isReadOnly(path, options);
  return new SqlStore(openSqlite(path, { ...options, readOnly }), { delay: options.delay, readOnly, file: resolve(path) });
}

/** Whether a file can only be read: by wish, or because it or its folder cannot be written. */
export function isReadOnly(path: string, { readOnly }: SqliteOptions = {}): boolean {
  const file = resolve(path);
  if (readOnly !== undefined) return readOnly;
  return existsSync(file) && !(canWrite(file) && canWrite(dirname(file)));
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  const file = resolve(path);
  const { readOnly = false } = options;
  const explain = (thrown: unknown) => explainFault(file, thrown, readOnly);
  checkPlace(file, readOnly);
  let database: DatabaseSync | undefined;
  try {
    if (!readOnly) createPrivately(file);
    database = readOnly ? openForReading(file) : new DatabaseSync(file);
    if (!readOnly) prepare(database, file, options);
  } catch (thrown) {
    database?.close();
    throw explain(thrown);
  }
  const opened = database;
  const db = new Kysely<Tables>({ dialect: nodeSqlite(opened, { explain, patience: options.patience ?? 30_000 }) });
  const ears = listening(opened);
  const inserts = rowInserts(opened, explain);
  return {
    kind: 'sqlite',
    db,
    transact: (work) => db.transaction().execute((transaction) => work({ kind: 'sqlite', db: transaction, ...inserts })),
    listen: ears.listen,
    // Listeners look at the file.
    tell: async () => {},
    async close() {
      ears.close();
      opened.close();
    },
  };
}

/**
 * Opens a file for reading only. A write-ahead log needs a writable folder even for readers; without one, the file is opened as immutable,
 * which is only correct if its log is empty.
 */
function openForReading(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    checkSchema(database, file);
    return database;
  } catch (thrown) {
    database?.close();
    const code = (thrown as { errcode?: number }).errcode ?? 0;
    if (isFault(thrown) || ![8, 10, 14].includes(code & 0xff)) throw thrown;
  }
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Fault(
      'store',
      `The store ${file} has changes in ${file}-wal that can only be merged with write access. Open it once in a writable folder.`,
    );
  const address = pathToFileURL(file);
  address.search = '?immutable=1';
  const immutable = new DatabaseSync(address, { readOnly: true });
  checkSchema(immutable, file);
  return immutable;
}

function checkSchema(database: DatabaseSync, file: string): void {
  recognise(database, file);
  const version = number(database, 'user_version');
  if (version < migrations.length)
    throw new Fault(
      'store',
      `${file} was written by an older version of Ludus (schema ${version} of ${migrations.length}). Open it once with write access, or copy it.`,
    );
}

/** A file sends no notification of a change, so listeners look at its change counter, which costs microseconds. */
function listening(database: DatabaseSync): Pick<Database, 'listen'> & { close(): void } {
  const listeners = new Set<(word: string) => void>();
  let timer: NodeJS.Timeout | undefined;
  let seenCount = 0;
  const look = () => {
    const version = number(database, 'data_version');
    if (version === seenCount) return;
    seenCount = version;
    for (const hear of listeners) hear('');
  };
  return {
    listen(hear) {
      listeners.add(hear);
      timer ??= setInterval(safely('Looking at the store', look), 25).unref();
      return () => listeners.delete(hear);
    },
    close: () => clearInterval(timer),
  };
}

function checkPlace(file: string, readOnly: boolean): void {
  const directory = dirname(file);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new Fault('store', `The store ${file} cannot be opened: the directory ${directory} does not exist. Create it first.`);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isDirectory()) throw new Fault('store', `${file} is a directory, not a store. Use a file in it.`);
  if (readOnly && stats === undefined)
    throw new Fault('store', `Store ${file} not found. Remove --read-only to create it, or use another one.`, { code: 'E_NOT_FOUND' });
  // SQLite would open it for reading, and fail at the first write.
  if (stats !== undefined && !readOnly) checkWritable(file);
}

function checkWritable(file: string): void {
  try {
    accessSync(file, constants.W_OK);
  } catch {
    throw new Fault('store', `The store ${file} failed: ${meanings[8]}.`);
  }
}

function prepare(database: DatabaseSync, file: string, { patience = 5000, maxBytes, allowDamaged }: SqliteOptions): void {
  database.exec(`pragma busy_timeout = ${Math.round(patience)}`);
  recognise(database, file);
  if (allowDamaged !== true) retryWhileBusy(patience, () => refuseDamaged(database, file));
  // The file may be changed only from here on. A write-ahead log allows readers and one writer at once; "full" waits for the disk.
  retryWhileBusy(patience, () => database.exec('pragma page_size = 8192; pragma journal_mode = wal'));
  database.exec('pragma synchronous = full');
  database.exec('pragma cache_size = -32768; pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 67108864');
  if (maxBytes !== undefined) database.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / number(database, 'page_size')))}`);
  migrate(database, migrations);
  database.exec('pragma busy_timeout = 0');
}

/** SQLite's busy timeout does not cover a change of the journal mode: if two processes create a file at once, one fails immediately. */
function retryWhileBusy(patience: number, work: () => void): void {
  for (let waited = 0; ; waited += 5) {
    try {
      work();
      return;
    } catch (thrown) {
      if ((((thrown as { errcode?: number }).errcode ?? 0) & 0xff) !== 5 || waited >= patience) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Files up to this size are checked whenever they are opened for writing, which takes about a tenth of a second at most. */
const checkedSize = 2 ** 26;

/** A file next to a damaged one, with the problems that a check has found. */
export const damageMark = (file: string): string => `${file}.damaged`;

/** Rejects writes to a damaged file, because a write can destroy intact data. */
function refuseDamaged(database: DatabaseSync, file: string): void {
  const isMarked = existsSync(damageMark(file));
  if (!isMarked && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > checkedSize) return;
  const [problem] = findDamage(database);
  if (problem === undefined) return;
  throw new Fault(
    'store',
    `The store ${file} is damaged (${problem}), so nothing is written to it. "ludus doctor" lists the problems. To repair: "ludus data export --read-only -o saved.jsonl" saves every readable episode, and "ludus data import saved.jsonl --store NEW" creates a new store from them.`,
    { code: 'E_INVALID_DOCUMENT' },
  );
}

/** SQLite's own check: of every page, and with `full` of every index against its table. Empty where all is well. */
export function findDamage(database: DatabaseSync, full = false, most = 10): readonly string[] {
  try {
    const rows = database.prepare(`pragma ${full ? 'integrity_check' : 'quick_check'}(${most})`).all() as Record<string, string>[];
    const problems = rows.flatMap((row) => String(Object.values(row)[0]).split('\n'));
    return problems.length === 1 && problems[0] === 'ok' ? [] : problems.filter((problem) => !problem.startsWith('***')).slice(0, most);
  } catch (thrown) {
    const code = ((thrown as { errcode?: number }).errcode ?? 0) & 0xff;
    if (code === 11) return [sentenceOf(thrown)];
    throw thrown;
  }
}

/** The same for a file by its path; opened for reading. */
export function findDamageIn(path: string, full: boolean): readonly string[] {
  const database = new DatabaseSync(resolve(path), { readOnly: true });
  try {
    return findDamage(database, full);
  } finally {
    database.close();
  }
}

/** Refuses a file that some other program, or a later version of this one, has written. */
function recognise(database: DatabaseSync, file: string): void {
  // One transaction, because another process may be creating the file between two reads.
  database.exec('begin');
  const owner = number(database, 'application_id');
  const version = number(database, 'user_version');
  const tables = database.prepare('select count(*) as n from sqlite_schema').get() as { n: number };
  database.exec('commit');
  if (owner !== applicationId && (owner !== 0 || version !== 0 || tables.n > 0))
    throw new Fault(
      'store',
      `${file} is not a Ludus store but a SQLite database of another program. It was not modified. Use another file for the store.`,
      { code: 'E_INVALID_DOCUMENT' },
    );
  if (version > migrations.length)
    throw new Fault(
      'store',
      `${file} was written by a newer Ludus (schema ${version}, this one supports up to ${migrations.length}). It was not modified. Update Ludus to open it.`,
    );
}

/** Migrates a file, one transaction per step; two processes that open a new file at once run each step once. */
export function migrate(database: DatabaseSync, steps: readonly string[]): void {
  while (number(database, 'user_version') < steps.length) {
    database.exec('begin immediate');
    try {
      const version = number(database, 'user_version');
      const step = steps[version];
      if (step !== undefined) {
        database.exec(step);
        database.exec(`pragma application_id = ${applicationId}; pragma user_version = ${version + 1}`);
      }
      database.exec('commit');
    } catch (thrown) {
      undo(database);
      throw thrown;
    }
  }
}

function undo(database: DatabaseSync): void {
  try {
    database.exec('rollback');
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full; the first failure is the one to report.
  }
}

function number(database: DatabaseSync, pragma: string): number {
  return Object.values(database.prepare(`pragma ${pragma}`).get() as Record<string, number>)[0]!;
}

export function readOnlyFault(file: string): Fault {
  return new Fault(
    'store',
    `The store ${file} is open for reading only. Remove --read-only, make the file and its folder writable, or work on a copy ("ludus store copy").`,
  );
}

/** Messages for SQLite's primary result codes. */
const meanings: Readonly<Record<number, string>> = {
  5: 'another process has been writing to it for too long; let it finish, or use another file',
  6: 'another process has been writing to it for too long; let it finish, or use another file',
  8: 'it cannot be written; change the permissions of the file and its directory, or copy it elsewhere',
  10: 'the disk failed to read or write it; check the disk and its free space',
  11: 'the file is damaged; it was not modified, so restore a copy, or try to recover data with "sqlite3 file .recover"',
  13: 'the disk is full; no acknowledged data is lost, so free some space and continue',
  14: 'the file or its directory cannot be opened for writing; check the path and its permissions',
  26: 'the file is not a SQLite database and was not modified; use another file for the store',
};

/**
 * A new file is readable by its owner only; SQLite gives the files next to it (-wal, -shm) the same mode. An existing file keeps its mode.
 */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // The file exists already, or cannot be created: SQLite reports that in the next line.
  }
}

function explainFault(file: string, thrown: unknown, readOnly: boolean): Fault {
  if (isFault(thrown)) return thrown;
  const code = (thrown as { errcode?: unknown }).errcode;
  if (readOnly && typeof code === 'number' && (code & 0xff) === 8) return readOnlyFault(file);
  const meaning = typeof code === 'number' ? meanings[code & 0xff] : undefined;
  // Locks are released and disk space is freed: the same write may succeed later.
  const transient = typeof code === 'number' && [5, 6, 13].includes(code & 0xff);
  return new Fault('store', `The store ${file} failed: ${meaning ?? sentenceOf(thrown)}.`, { cause: thrown, transient });
}
