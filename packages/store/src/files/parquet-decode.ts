/** @file Decodes a Parquet file into a table, in the thread that parquet-thread.ts starts: a damaged file can make the decoder run forever. */

import * as zlib from 'node:zlib';
import type { CsvTable } from '@ludus-agents/kernel/internal/core/csv';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { FileMetaData } from 'hyparquet';
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

/** Reads a table; missing values are empty cells. Lists and objects become JSON if they are `nested`: people differ in plain values only. */
export async function decodeParquet(file: ArrayBuffer, where: string, nested: boolean): Promise<CsvTable> {
  const { parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet');
  try {
    const metadata = await parquetMetadataAsync(file);
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
    const count = Number(metadata.num_rows);
    if (count * columns.length > mostCells)
      throw new Fault(
        'input',
        `${where} has ${count} rows of ${columns.length} columns, but the limit is ${mostCells} cells. Use a part of it.`,
      );
    checkChunks(metadata, file.byteLength, where);
    const objects = await parquetReadObjects({ file, metadata, compressors });
    const rows = objects.map((row, i) => columns.map((name) => cellText(row[name], `${where}: row ${i + 1} of "${name}"`, nested)));
    return { columns, rows };
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    throw new Fault('input', `${where} cannot be read as Parquet: ${reasonOf(thrown)}.`, { cause: thrown });
  }
}

/** The sizes in the footer must fit into the file, row group by row group. */
function checkChunks({ num_rows, row_groups }: FileMetaData, size: number, where: string): void {
  const refuse = (what: string) =>
    new Fault('input', `${where} cannot be read as Parquet: ${what}. Export the file again.`, { code: 'E_UNREADABLE_FILE' });
  let rows = 0;
  for (const [i, group] of row_groups.entries()) {
    rows += Number(group.num_rows);
    for (const { meta_data: chunk } of group.columns) {
      if (chunk === undefined) throw refuse(`row group ${i + 1} has a column without metadata`);
      const start = Number(chunk.dictionary_page_offset ?? chunk.data_page_offset);
      const length = Number(chunk.total_compressed_size);
      if (!(start >= 0 && length >= 0 && start + length <= size))
        throw refuse(`a column of row group ${i + 1} is at ${start}, ${length} bytes long, in a file of ${size} bytes`);
      if (!(Number(chunk.num_values) >= 0 && Number(chunk.num_values) <= mostCells))
        throw refuse(`a column of row group ${i + 1} claims ${chunk.num_values} values`);
    }
  }
  if (rows !== Number(num_rows)) throw refuse(`its row groups have ${rows} rows, but its footer counts ${num_rows}`);
}

function cellText(value: unknown, where: string, nested: boolean): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && nested) return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : item));
  if (typeof value === 'object') throw new Fault('input', `${where} must be a string, a number, or a date, but is a list or an object.`);
  return String(value);
}
