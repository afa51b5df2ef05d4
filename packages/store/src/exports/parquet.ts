/** @file Writes rows into a parquet file, a group of rows at a time: no more than one group is in memory. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { ByteWriter, fileWriter, ParquetWriter } from 'hyparquet-writer';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import type { Columns } from './format.ts';
import { writeChunk } from './parquet-chunk.ts';
import { type FlatColumn, RowSplitter } from './parquet-columns.ts';

type ColumnEncoder = Parameters<typeof writeChunk>[1];
type WrittenColumn = ReturnType<typeof writeChunk>;

/** Rows, and characters of text in them, after which a group is written. */
const mostRows = 10_000;
const mostText = 2 ** 24;
/** Bytes after which a page of a column ends. */
const pageSize = 2 ** 20;

/** A row group as bytes, with its column metadata for the footer; positions are counted from its first byte. */
export interface RowGroup {
  readonly rows: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly columns: readonly WrittenColumn[];
}

/** Creates row groups. They can be created in any thread; a file joins them. */
export class RowGroups {
  readonly #splitter: RowSplitter;
  #rows = 0;
  #text = 0;

  constructor(columns: Columns) {
    this.#splitter = new RowSplitter(columns);
  }

  /** Adds a row; returns the group if it is now full. */
  add(row: JsonObject): RowGroup | null {
    this.#text += this.#splitter.add(row);
    this.#rows++;
    return this.#rows >= mostRows || this.#text >= mostText ? this.end() : null;
  }

  /** The rows since the last group; null if there are none. */
  end(): RowGroup | null {
    if (this.#rows === 0) return null;
    const writer = new ByteWriter(2 ** 16);
    this.#splitter.settle();
    const columns = this.#splitter.columns.map((flat) => {
      const written = writeChunk(writer, encoderOf(flat), flat);
      flat.clear();
      return written;
    });
    const group = { rows: this.#rows, bytes: new Uint8Array(writer.getBuffer()), columns };
    this.#rows = 0;
    this.#text = 0;
    return group;
  }
}

function encoderOf({ path }: FlatColumn): ColumnEncoder {
  const [, ...inside] = path;
  return {
    ...{ columnName: inside.map(({ name }) => name).join('.'), element: path.at(-1)!, schemaPath: [...path] },
    ...{ codec: 'SNAPPY', compressors: { SNAPPY: snappyCompress }, stats: true, pageSize, columnIndex: false, offsetIndex: true },
  };
}

export class ParquetFile {
  readonly #groups: RowGroups;
  readonly #writer: ParquetWriter;

  constructor(path: string, columns: Columns) {
    this.#groups = new RowGroups(columns);
    this.#writer = new ParquetWriter({ writer: fileWriter(path), schema: [...new RowSplitter(columns).schema] });
  }

  /** Returns a promise only if a group is written, which is rare. */
  add(row: JsonObject): Promise<void> | undefined {
    const group = this.#groups.add(row);
    return group === null ? undefined : this.append(group);
  }

  /** Appends a group created elsewhere; the writer's own `write` would split rows itself. */
  async append({ rows, bytes, columns }: RowGroup): Promise<void> {
    const { writer, pendingIndexes, row_groups: groups } = this.#writer;
    const from = BigInt(writer.offset);
    writer.appendBytes(bytes);
    for (const { chunk, offsetIndex } of columns) {
      chunk.file_offset += from;
      const { meta_data: metadata } = chunk;
      if (metadata !== undefined) metadata.data_page_offset += from;
      if (metadata?.dictionary_page_offset !== undefined) metadata.dictionary_page_offset += from;
      for (const page of offsetIndex?.page_locations ?? []) page.offset += from;
    }
    pendingIndexes.push(...columns);
    groups.push({ columns: columns.map(({ chunk }) => chunk), total_byte_size: BigInt(bytes.length), num_rows: BigInt(rows) });
    this.#writer.num_rows += BigInt(rows);
    await writer.flush?.();
  }

  async close(): Promise<void> {
    const rest = this.#groups.end();
    if (rest !== null) await this.append(rest);
    await this.#writer.finish();
  }
}
