/** @file Microdata from Parquet files that another program wrote: the same population as from CSV. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPopulation, readTable } from '@ludus-agents/agents/internal/workspace/populations';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const csv = 'sex,age,weight\nfemale,34,1.5\nmale,61,2\nfemale,18,0.25\n';

it('reads weighted microdata from Parquet as from CSV, with any compression', async (test) => {
  const duckdb = await import(process.env['LUDUS_DUCKDB'] ?? '@duckdb/node-api').catch(() => null);
  if (duckdb === null) return test.skip('DuckDB cannot be loaded here');
  const here = folder();
  writeFileSync(join(here, 'people.csv'), csv);
  const fromText = await findPopulation('people.csv', here, Trust.commandLine);
  const db = await (await duckdb.DuckDBInstance.create(':memory:')).connect();
  for (const kind of ['uncompressed', 'snappy', 'gzip', 'brotli', 'zstd']) {
    const rows = `SELECT * FROM read_csv('${join(here, 'people.csv')}')`;
    await db.run(`COPY (${rows}) TO '${join(here, 'people.parquet')}' (FORMAT parquet, COMPRESSION ${kind})`);
    expect(await findPopulation('people.parquet', here, Trust.commandLine), kind).toEqual(fromText);
  }
  const sampled = await ludus(here, ['persona', 'sample', 'people.parquet', '-n', '15', '--json']);
  expect(JSON.parse(sampled.out).attributes.filter(({ sex }: { sex: string }) => sex === 'male')).toHaveLength(8);
  // What is missing is missing, and not its own word.
  await db.run(`COPY (SELECT 'a' AS x, NULL AS y UNION ALL SELECT NULL, DATE '1996-11-05') TO '${join(here, 'gaps.parquet')}'`);
  const gaps = await readTable('gaps.parquet', here, Trust.commandLine);
  expect(gaps.columns).toEqual(['x', 'y']);
  expect([...gaps.rows].map((row) => row.join('|')).toSorted()).toEqual(['a|', '|1996-11-05T00:00:00.000Z'].toSorted());
  await db.run(`COPY (SELECT [1, 2] AS many) TO '${join(here, 'lists.parquet')}'`);
  await expect(findPopulation('lists.parquet', here, Trust.commandLine)).rejects.toThrow(
    'row 1 of "many" must be a string, a number, or a date',
  );
  // A few thousand bytes that claim more rows than memory has room for.
  await db.run(`COPY (SELECT 0 AS x FROM range(50000001)) TO '${join(here, 'bomb.parquet')}'`);
  await expect(findPopulation('bomb.parquet', here, Trust.commandLine)).rejects.toThrow(
    'bomb.parquet has 50000001 rows of 1 columns, but the limit is 50000000',
  );
  writeFileSync(join(here, 'text.parquet'), csv);
  await expect(findPopulation('text.parquet', here, Trust.commandLine)).rejects.toThrow('text.parquet cannot be read as Parquet');
  await expect(findPopulation('nobody.parquet', here, Trust.commandLine)).rejects.toThrow('nobody.parquet cannot be read');
});

it('writes people as Parquet that can be read as a population', async () => {
  const here = folder();
  writeFileSync(join(here, 'people.csv'), csv);
  const { code, err } = await ludus(here, ['persona', 'sample', 'people.csv', '-n', '15', '-o', 'drawn.parquet']);
  expect({ code, err }).toEqual({ code: 0, err: '15 rows written to drawn.parquet.\n' });
  await ludus(here, ['persona', 'sample', 'people.csv', '-n', '15', '-o', 'drawn.csv']);
  expect(await readTable('drawn.parquet', here, Trust.commandLine)).toEqual(await readTable('drawn.csv', here, Trust.commandLine));
});

it('rejects a weight-like column with another name unless it is declared', async () => {
  const here = folder();
  writeFileSync(join(here, 'people.csv'), csv.replace('weight', 'w'));
  await expect(findPopulation('people.csv', here, Trust.commandLine)).rejects.toThrow('the column "w" has numbers and looks like weights');
  const named = async (microdata: object) => {
    writeFileSync(join(here, 'named.json'), JSON.stringify({ name: 'Named', microdata: { file: 'people.csv', ...microdata } }));
    return findPopulation('./named.json', here, Trust.commandLine);
  };
  expect(await named({ weight: 'w' })).toMatchObject({ microdata: { columns: ['sex', 'age'], weights: [1.5, 2, 0.25] } });
  expect(await named({ columns: ['sex', 'w'] })).toMatchObject({ microdata: { columns: ['sex', 'w'] } });
});

it('rejects a file without rows below its header', async () => {
  const here = folder();
  writeFileSync(join(here, 'empty.csv'), 'sex,age,weight\n');
  writeFileSync(join(here, 'answers.csv'), 'person,item,kind,status,code,answer,place,shown\n');
  for (const words of [
    ['persona', 'sample', './empty.csv', '-n', '3'],
    ['survey', 'compare', 'empty.csv', '--human', 'empty.csv'],
  ]) {
    const { code, err } = await ludus(here, words);
    expect([code, err]).toEqual([2, expect.stringContaining('empty.csv has no rows')]);
  }
});
