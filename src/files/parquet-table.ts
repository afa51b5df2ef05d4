/** @file Tables from Parquet files, as CSV gives them: a header, and every cell as text. */

import { readFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { Fault } from '../core/index.ts';
import type { CsvTable } from './csv.ts';
import { reasonOf } from './read-failure.ts';

/** The ways of compression that Node knows; Snappy is the reader's own. */
const compressors = {
  GZIP: (input: Uint8Array) => new Uint8Array(zlib.gunzipSync(input)),
  BROTLI: (input: Uint8Array) => new Uint8Array(zlib.brotliDecompressSync(input)),
  // Node 22 has it from 22.15 on; without it the reader says which compression the file has.
  ...('zstdDecompressSync' in zlib ? { ZSTD: (input: Uint8Array) => new Uint8Array(zlib.zstdDecompressSync(input)) } : {}),
};

/** Reads a table; what is missing is an empty cell. Columns that hold lists or objects are refused, because people differ in plain values. */
export async function readParquet(path: string, where: string): Promise<CsvTable> {
  const { parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet');
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  try {
    const columns = parquetSchema(await parquetMetadataAsync(file)).children.map(({ element }) => element.name);
    const objects = await parquetReadObjects({ file, compressors });
    const rows = objects.map((row, i) => columns.map((name) => cellText(row[name], `${where}: row ${i + 1} of "${name}"`)));
    return { columns, rows };
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    throw new Fault('input', `${where} cannot be read as Parquet: ${reasonOf(thrown)}.`, { cause: thrown });
  }
}

function cellText(value: unknown, where: string): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') throw new Fault('input', `${where} must be a text, a number or a date, but is a list or an object.`);
  return String(value);
}
