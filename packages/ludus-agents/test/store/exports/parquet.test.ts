/** @file Parquet files hold what was written, row by row, for our own reader and for DuckDB. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Json, type JsonObject, rng } from '@ludus-agents/kernel/internal/core/index';
import type { Columns, ColumnType } from '@ludus-agents/store/internal/exports/format';
import { choose, formats, plays } from '@ludus-agents/store/internal/exports/index';
import { ParquetFile } from '@ludus-agents/store/internal/exports/parquet';
import { RowSplitter } from '@ludus-agents/store/internal/exports/parquet-columns';
import { parquetReadObjects } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleStore } from './samples.cases.ts';

const here = mkdtempSync(join(tmpdir(), 'ludus-parquet-'));
afterAll(() => rmSync(here, { recursive: true, force: true }));

interface Written {
  readonly name: string;
  readonly path: string;
  readonly rows: readonly JsonObject[];
}

const written: Written[] = [];

async function write(name: string, columns: Columns, rows: readonly JsonObject[]): Promise<void> {
  const path = join(here, `${name}.parquet`);
  const file = new ParquetFile(path, columns);
  for (const row of rows) await file.add(row);
  await file.close();
  written.push({ name, path, rows: rows.map((row) => complete(row, { fields: columns }) as JsonObject) });
}

/** A row with null for whatever is missing, as files have it. */
function complete(value: Json | undefined, type: ColumnType): Json {
  if (value === null || value === undefined) return null;
  if (typeof type === 'string') return value;
  if ('list' in type) return (value as readonly Json[]).map((item) => complete(item, type.list));
  return Object.fromEntries(Object.entries(type.fields).map(([name, inner]) => [name, complete((value as JsonObject)[name], inner)]));
}

/** 64-bit numbers of readers as numbers. */
const plain = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : item === undefined ? null : item)));

beforeAll(async () => {
  const store = await sampleStore(2);
  const reading = { filter: {}, split: { evalShare: 0.5, seed: 2 } };
  const all = await Array.fromAsync(plays(store, await choose(store, {}), reading));
  for (const format of ['verl', 'parquet'])
    for (const table of formats[format]?.open() ?? [])
      await write(
        `${format}-${table.name}`,
        table.columns as Columns,
        all.flatMap((play) => [...table.rows(play, () => {})]),
      );
  await write('empty', { text: 'text', counts: { list: 'whole' } }, []);
  // More rows than one group, with every kind of hole.
  const dice = rng(1);
  const odd = Array.from({ length: 12_000 }, (_, i) => ({
    text: i % 7 === 0 ? null : `${'é"\n'.repeat(dice.int(3))}${i}`,
    counts: i % 5 === 0 ? null : Array.from({ length: dice.int(4) }, () => dice.int(2 ** 32)),
    deep: i % 3 === 0 ? [] : [{ name: i % 2 === 0 ? null : 'x', on: dice.next() < 0.5, value: dice.next() }],
  }));
  const deep = { list: { fields: { name: 'text', on: 'yesno', value: 'number' } } } as const;
  await write('odd', { text: 'text', counts: { list: 'whole' }, deep }, odd);
  // Columns of more than one page, with and without a dictionary.
  const long = Array.from({ length: 1500 }, (_, i) => ({
    text: i % 9 === 0 ? null : `${i} `.repeat(250),
    counts: i % 7 === 0 ? [] : Array.from({ length: 300 }, () => dice.int(50)),
    values: Array.from({ length: 120 }, () => dice.next()),
  }));
  await write('long', { text: 'text', counts: { list: 'whole' }, values: { list: 'number' } }, long);
});

/** DuckDB's own binding is there for most machines, not for all. */
async function duckdb(): Promise<((sql: string) => Promise<readonly JsonObject[]>) | string> {
  try {
    const { DuckDBInstance } = await import(process.env['LUDUS_DUCKDB'] ?? '@duckdb/node-api');
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson() as JsonObject[];
  } catch (thrown) {
    return `DuckDB cannot be loaded here: ${(thrown as Error).message.split('\n')[0]}`;
  }
}

describe('parquet', () => {
  it('reads back row by row', async () => {
    expect(written.map(({ name }) => name)).toEqual(['verl-', 'parquet-episodes', 'parquet-turns', 'empty', 'odd', 'long']);
    for (const { name, path, rows } of written) {
      const bytes = readFileSync(path);
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
      expect(plain(await parquetReadObjects({ file })), name).toEqual(plain(rows));
    }
  });

  it('has the same bytes as the reference writer', async () => {
    const dice = rng(2);
    const maybe = <T>(make: () => T): T | null => (dice.int(4) === 0 ? null : make());
    const some = <T>(make: () => T): readonly (T | null)[] => Array.from({ length: dice.int(4) }, () => maybe(make));
    const columns = {
      text: 'text',
      one: { fields: { name: 'text', counts: { list: 'number' } } },
      lists: { list: { list: { fields: { on: 'yesno', inner: { list: { fields: { value: 'number', word: 'text' } } } } } } },
    } as const;
    const inner = () => ({ value: maybe(() => dice.next()), word: maybe(() => `${dice.int(9)}`) });
    const rows = Array.from({ length: 3000 }, () => ({
      text: maybe(() => 'x'.repeat(dice.int(3))),
      one: maybe(() => ({ name: maybe(() => 'n'), counts: maybe(() => some(() => dice.next())) })),
      lists: maybe(() => some(() => some(() => ({ on: maybe(() => dice.int(2) === 1), inner: maybe(() => some(inner)) })))),
    }));
    const [ours, theirs] = [join(here, 'ours.parquet'), join(here, 'theirs.parquet')];
    const file = new ParquetFile(ours, columns);
    for (const row of rows) await file.add(row);
    await file.close();
    const writer = new ParquetWriter({ writer: fileWriter(theirs), schema: [...new RowSplitter(columns).schema] });
    const names = ['text', 'one', 'lists'] as const;
    await writer.write({ columnData: names.map((name) => ({ name, data: rows.map((row) => row[name]) })), rowGroupSize: rows.length });
    await writer.finish();
    expect(readFileSync(ours).equals(readFileSync(theirs))).toBe(true);
  });

  it('opens in DuckDB with the same rows', async (test) => {
    const ask = await duckdb();
    if (typeof ask === 'string') {
      console.log(`skipped: ${ask}`);
      return test.skip(ask);
    }
    for (const { name, path, rows } of written) {
      const jsonObjects = await ask(`select to_json(rows) as row from (select * from '${path}') as rows`);
      expect(
        jsonObjects.map(({ row }) => JSON.parse(row as string)),
        name,
      ).toEqual(plain(rows));
    }
    const [type] = await ask(`select column_type from (describe select prompt from '${join(here, 'verl-.parquet')}')`);
    expect(type?.['column_type']).toBe('STRUCT("role" VARCHAR, "content" VARCHAR)[]');
  });
});
