/** @file Writes rows into a parquet file, a group of rows at a time: no more than one group is in memory. */

import type { SchemaElement } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { JsonObject } from '../../core/index.ts';
import type { Columns, ColumnType } from './format.ts';

/** Rows, and characters of text in them, after which a group is written. */
const mostRows = 5_000;
const mostText = 2 ** 24;

export class ParquetFile {
  readonly #columns: Columns;
  readonly #writer: ParquetWriter;
  #rows: JsonObject[] = [];
  #text = 0;

  constructor(path: string, columns: Columns) {
    this.#columns = columns;
    this.#writer = new ParquetWriter({ writer: fileWriter(path), schema: schemaOf(columns) });
  }

  async add(row: JsonObject): Promise<void> {
    this.#rows.push(row);
    this.#text += weight(row);
    if (this.#rows.length >= mostRows || this.#text >= mostText) await this.#write();
  }

  async close(): Promise<void> {
    await this.#write();
    await this.#writer.finish();
  }

  async #write(): Promise<void> {
    const rows = this.#rows;
    if (rows.length === 0) return;
    this.#rows = [];
    this.#text = 0;
    const columnData = Object.entries(this.#columns).map(([name, type]) => ({
      name,
      data: rows.map((row) => encodeValue(row[name], type)),
    }));
    await this.#writer.write({ columnData, rowGroupSize: rows.length });
  }
}

/** The schema of a file: every field may be missing. */
function schemaOf(columns: Columns): SchemaElement[] {
  const names = Object.keys(columns);
  return [{ name: 'root', num_children: names.length }, ...names.flatMap((name) => elementsOf(name, columns[name]!))];
}

function elementsOf(name: string, type: ColumnType): SchemaElement[] {
  const common = { name, repetition_type: 'OPTIONAL' } as const;
  if (type === 'text') return [{ ...common, type: 'BYTE_ARRAY', converted_type: 'UTF8' }];
  if (type === 'bytes') return [{ ...common, type: 'BYTE_ARRAY' }];
  if (type === 'whole') return [{ ...common, type: 'INT64' }];
  if (type === 'number') return [{ ...common, type: 'DOUBLE' }];
  if (type === 'yesno') return [{ ...common, type: 'BOOLEAN' }];
  if ('list' in type)
    return [
      { ...common, num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elementsOf('element', type.list),
    ];
  const names = Object.keys(type.fields);
  return [{ ...common, num_children: names.length }, ...names.flatMap((one) => elementsOf(one, type.fields[one]!))];
}

/** A value as the writer takes it: whole numbers are of 64 bits. */
function encodeValue(value: unknown, type: ColumnType): unknown {
  if (value === null || value === undefined) return undefined;
  if (type === 'whole') return BigInt(value as number);
  if (type === 'bytes') return new Uint8Array(Buffer.from(value as string, 'base64'));
  if (typeof type === 'string') return value;
  if ('list' in type) return (value as readonly unknown[]).map((one) => encodeValue(one, type.list));
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(type.fields).map(([name, inner]) => [name, encodeValue(fields[name], inner)]));
}

function weight(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let sum = 0;
  for (const one of Object.values(value)) sum += weight(one);
  return sum;
}
