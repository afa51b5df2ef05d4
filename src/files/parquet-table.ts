/** @file Tables from Parquet files, as CSV gives them: a header, and every cell as text. */

import { readFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { Fault } from '../core/index.ts';
import type { CsvTable } from './csv.ts';
import { reasonOf } from './read-failure.ts';

/** More cells than this do not fit into the memory of a process as texts; a few bytes of a file can claim any number of them. */
const mostCells = 50_000_000;

/** A page unpacks to no more than its header says, and to no more than this. */
const mostBytes = 2 ** 28;
const within = (size: number) => ({ maxOutputLength: Math.max(1, Math.min(size, mostBytes)) });

/** The ways of compression that Node knows; Snappy is the reader's own. */
const compressors = {
  GZIP: (input: Uint8Array, size: number) => new Uint8Array(zlib.gunzipSync(input, within(size))),
  BROTLI: (input: Uint8Array, size: number) => new Uint8Array(zlib.brotliDecompressSync(input, within(size))),
  // Node 22 has it from 22.15 on; without it the reader says which compression the file has.
  ...('zstdDecompressSync' in zlib
    ? { ZSTD: (input: Uint8Array, size: number) => new Uint8Array(zlib.zstdDecompressSync(input, within(size))) }
    : {}),
};

/** Reads a table; what is missing is an empty cell. Columns that hold lists or objects are refused, because people differ in plain values. */
export async function readParquet(path: string, where: string): Promise<CsvTable> {
  const { parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet');
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  try {
    const metadata = await parquetMetadataAsync(file);
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
    const count = Number(metadata.num_rows);
    if (count * columns.length > mostCells)
      throw new Fault(
        'input',
        `${where} has ${count} rows of ${columns.length} columns; at most ${mostCells} cells are read, so give a part of it.`,
      );
    const objects = await parquetReadObjects({ file, metadata, compressors });
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
