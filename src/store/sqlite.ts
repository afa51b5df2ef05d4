/** @file The embedded store: one SQLite file, opened with care. A file that is not ours, or newer than us, is left as it is. */

import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { Fault, isFault, type Store, sentenceOf } from '../core/index.ts';
import type { Database } from './database.ts';
import { nodeSqlite } from './node-sqlite.ts';
import { SqlStore } from './sql.ts';
import { applicationId, migrations, type Tables } from './tables.ts';

export interface SqliteOptions {
  /** Milliseconds that a write waits for others to share its commit. */
  readonly delay?: number;
  /** Milliseconds to wait for another process that is writing. */
  readonly patience?: number;
  /** The file may not grow beyond this. */
  readonly maxBytes?: number;
}

/** Opens a file, or makes it. What was appended is on disk when its promise resolves. */
export async function sqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  return new SqlStore(openSqlite(path, options), { delay: options.delay });
}

export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  const file = resolve(path);
  const explain = (thrown: unknown) => explained(file, thrown);
  checkPlace(file);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    prepare(database, file, options);
  } catch (thrown) {
    database?.close();
    throw explain(thrown);
  }
  const opened = database;
  const db = new Kysely<Tables>({ dialect: nodeSqlite(opened, { explain, patience: options.patience ?? 5000 }) });
  const ears = listening(opened);
  return {
    kind: 'sqlite',
    db,
    transact: (work) =>
      db.transaction().execute((transaction) =>
        work({
          kind: 'sqlite',
          db: transaction,
          async chunks(rows) {
            await transaction.insertInto('chunks').values(rows).execute();
          },
          async parts(rows) {
            await transaction
              .insertInto('parts')
              .values(rows)
              .onConflict((on) => on.column('hash').doNothing())
              .execute();
          },
        }),
      ),
    listen: ears.listen,
    // Whoever listens looks at the file.
    tell: async () => {},
    async close() {
      ears.close();
      opened.close();
    },
  };
}

/** A file tells nobody that it was changed, so listeners look at its change counter, which costs microseconds. */
function listening(database: DatabaseSync): Pick<Database, 'listen'> & { close(): void } {
  const listeners = new Set<(word: string) => void>();
  let timer: NodeJS.Timeout | undefined;
  let seen = 0;
  const look = () => {
    const version = number(database, 'data_version');
    if (version === seen) return;
    seen = version;
    for (const hear of listeners) hear('');
  };
  return {
    listen(hear) {
      listeners.add(hear);
      timer ??= setInterval(look, 25).unref();
      return () => listeners.delete(hear);
    },
    close: () => clearInterval(timer),
  };
}

function checkPlace(file: string): void {
  const directory = dirname(file);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new Fault('store', `The store ${file} cannot be opened: there is no directory ${directory}; make it first.`);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new Fault('store', `A store is a file, but ${file} is a directory; name a file in it.`);
  // SQLite would open it for reading, and fail at the first write.
  if (found !== undefined) checkWritable(file);
}

function checkWritable(file: string): void {
  try {
    accessSync(file, constants.W_OK);
  } catch {
    throw new Fault('store', `The store ${file} failed: ${meanings[8]}.`);
  }
}

function prepare(database: DatabaseSync, file: string, { patience = 5000, maxBytes }: SqliteOptions): void {
  database.exec(`pragma busy_timeout = ${Math.round(patience)}`);
  recognise(database, file);
  // Only from here on is the file ours to change. A write-ahead log lets readers and one writer work at once; "full" waits for the disk.
  database.exec('pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = full');
  database.exec('pragma cache_size = -32768; pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 67108864');
  if (maxBytes !== undefined) database.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / number(database, 'page_size')))}`);
  migrate(database, migrations);
  database.exec('pragma busy_timeout = 0');
}

/** Refuses a file that some other program, or a later version of this one, has written. */
function recognise(database: DatabaseSync, file: string): void {
  const owner = number(database, 'application_id');
  const version = number(database, 'user_version');
  const tables = database.prepare('select count(*) as n from sqlite_schema').get() as { n: number };
  if (owner !== applicationId && (owner !== 0 || version !== 0 || tables.n > 0))
    throw new Fault('store', `${file} is a SQLite database of another program, and was left as it is; name another file for the store.`);
  if (version > migrations.length)
    throw new Fault(
      'store',
      `${file} was written by a newer Ludus (schema ${version}, this one knows up to ${migrations.length}), and was left as it is; update Ludus to open it.`,
    );
}

/** Brings a file up to date, one transaction a step; two processes that open a new file at once do each step once. */
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
    // SQLite has rolled back by itself, as it does when the disk is full; the first failure is the one to tell.
  }
}

function number(database: DatabaseSync, pragma: string): number {
  return Object.values(database.prepare(`pragma ${pragma}`).get() as Record<string, number>)[0] as number;
}

/** What SQLite's primary result codes mean to the person whose file it is. */
const meanings: Readonly<Record<number, string>> = {
  5: 'another process has been writing to it for too long; let it finish, or use another file',
  6: 'another process has been writing to it for too long; let it finish, or use another file',
  8: 'it cannot be written; change the permissions of the file and its directory, or copy it elsewhere',
  10: 'the disk failed to read or write it; look at the disk, and at the space that is left on it',
  11: 'the file is damaged; it was left as it is, so restore a copy, or try to save what is left with "sqlite3 file .recover"',
  13: 'the disk is full; nothing that was acknowledged is lost, so make room and go on',
  14: 'the file or its directory cannot be opened for writing; look at the path and its permissions',
  26: 'the file is not a SQLite database; it was left as it is, so name another file for the store',
};

function explained(file: string, thrown: unknown): Fault {
  if (isFault(thrown)) return thrown;
  const code = (thrown as { errcode?: unknown }).errcode;
  const meaning = typeof code === 'number' ? meanings[code & 0xff] : undefined;
  return new Fault('store', `The store ${file} failed: ${meaning ?? sentenceOf(thrown)}.`, { cause: thrown });
}
