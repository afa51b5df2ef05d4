/** @file Reads the tables of an SQLite file as tables of a desk. The file is not modified. */

import { DatabaseSync } from 'node:sqlite';
import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';

const mostRows = 100_000;

/** Every table as records by id: its primary key, or its first column. Foreign keys stay as they are. */
export function tablesInSqlite(file: string): Readonly<Record<string, Json>> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const open = database;
    const names = open.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'").all();
    return Object.fromEntries(names.map(({ name }) => [String(name), tableIn(open, String(name), file)]));
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    throw new Fault('input', `${file} cannot be read as an SQLite database: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  } finally {
    database?.close();
  }
}

function tableIn(database: DatabaseSync, table: string, file: string): JsonObject {
  const quoted = `"${table.replaceAll('"', '""')}"`;
  const columns = database.prepare(`PRAGMA table_info(${quoted})`).all() as { readonly name: string; readonly pk: number }[];
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const ownItems = (keys.length > 0 ? keys : columns.slice(0, 1)).map(({ name }) => name);
  const rows = database.prepare(`SELECT * FROM ${quoted} LIMIT ${mostRows + 1}`).all();
  if (rows.length > mostRows)
    throw new Fault(
      'input',
      `The table ${table} of ${file} has more than ${mostRows} records. Keep only the records that the cases are about.`,
      { code: 'E_TOO_LARGE' },
    );
  const records: Record<string, JsonObject> = {};
  for (const row of rows) {
    const id = ownItems.map((key) => String(row[key])).join('/');
    if (Object.hasOwn(records, id)) throw new Fault('input', `The table ${table} of ${file} has two records with the id ${id}.`);
    // A single-column key is the id itself; the columns of a composite key can still be searched by name.
    const rest = Object.entries(row).filter(([key]) => ownItems.length > 1 || key !== ownItems[0]);
    records[id] = Object.fromEntries(rest.map(([key, value]) => [key, toJson(value)]));
  }
  return records;
}

function toJson(value: unknown): Json {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return value as Json;
}
