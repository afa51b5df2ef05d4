/** @file Writes rows into a parquet file, a group of rows at a time: no more than one group is in memory. */

import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { JsonObject } from '../../core/index.ts';
import type { Columns } from './format.ts';
import { writeChunk } from './parquet-chunk.ts';
import { type FlatColumn, RowSplitter } from './parquet-columns.ts';

type ColumnEncoder = Parameters<typeof writeChunk>[1];

/** Rows, and characters of text in them, after which a group is written. */
const mostRows = 5_000;
const mostText = 2 ** 24;
/** Bytes after which a page of a column ends. */
const pageSize = 2 ** 20;

export class ParquetFile {
  readonly #splitter: RowSplitter;
  readonly #writer: ParquetWriter;
  #rows = 0;
  #text = 0;

  constructor(path: string, columns: Columns) {
    this.#splitter = new RowSplitter(columns);
    this.#writer = new ParquetWriter({ writer: fileWriter(path), schema: [...this.#splitter.schema] });
  }

  /** A promise where a group is written, which is seldom. */
  add(row: JsonObject): Promise<void> | undefined {
    this.#text += this.#splitter.add(row);
    this.#rows++;
    return this.#rows >= mostRows || this.#text >= mostText ? this.#write() : undefined;
  }

  async close(): Promise<void> {
    await this.#write();
    await this.#writer.finish();
  }

  /** A group of rows from columns that are flat already; the writer's own `write` takes rows apart itself. */
  async #write(): Promise<void> {
    if (this.#rows === 0) return;
    const { writer, pendingIndexes, row_groups: groups } = this.#writer;
    const from = writer.offset;
    this.#splitter.settle();
    const columns = this.#splitter.columns.map((flat) => {
      const written = writeChunk(writer, this.#encoderOf(flat), flat);
      flat.clear();
      pendingIndexes.push(written);
      return written.chunk;
    });
    const rows = BigInt(this.#rows);
    groups.push({ columns, total_byte_size: BigInt(writer.offset - from), num_rows: rows });
    this.#writer.num_rows += rows;
    this.#rows = 0;
    this.#text = 0;
    await writer.flush?.();
  }

  #encoderOf({ path }: FlatColumn): ColumnEncoder {
    const { codec, statistics: stats } = this.#writer;
    const compressors = this.#writer.compressors as ColumnEncoder['compressors'];
    const [, ...inside] = path;
    return {
      ...{ columnName: inside.map(({ name }) => name).join('.'), element: path.at(-1)!, schemaPath: [...path] },
      ...{ codec, compressors, stats, pageSize, columnIndex: false, offsetIndex: true },
    };
  }
}
