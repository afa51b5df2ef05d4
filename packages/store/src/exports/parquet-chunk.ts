/**
 * @file Writes one flat column of a row group. Its distinct values are already numbered, so the minimum, the maximum, and the dictionary
 * are computed from these instead of all values; the writer's own method examines every value several times.
 */

import type { SchemaElement } from 'hyparquet';
import { writeColumn } from 'hyparquet-writer/src/column.js';
import { writeDataPageV2 } from 'hyparquet-writer/src/datapage.js';
import { writeDictionaryPage } from 'hyparquet-writer/src/dictionary.js';
import type { FlatColumn } from './parquet-columns.ts';

type ColumnWork = Parameters<typeof writeColumn>[0];
type Encoder = ColumnWork['column'];
type Written = ReturnType<typeof writeColumn>;
type Metadata = NonNullable<Written['chunk']['meta_data']>;
type Levels = number[];

export function writeChunk(writer: ColumnWork['writer'], column: Encoder, flat: FlatColumn): Written {
  const { element, schemaPath, codec, pageSize } = column;
  const distinct = flat.distinct.map((value) => encodeValue(value, element));
  const sizes = distinct.map((value) => sizeOf(value, element));
  const { indexes } = flat;
  const plainSize = indexes.reduce((sum, index) => sum + sizes[index]!, 0);
  const levels = {
    definitionLevels: flat.definition.bytes as unknown as Levels,
    repetitionLevels: flat.repetition.bytes as unknown as Levels,
    maxDefinitionLevel: flat.maxDefinitionLevel,
  };
  const isDictionary = element.type !== 'BOOLEAN' && isShorter(sizes, indexes.length, plainSize);
  // Where a page must end is the writer's to say.
  if ((isDictionary ? indexes.length * 4 : plainSize) >= pageSize)
    return writeColumn({ writer, column, pageData: { ...levels, ...valuesInPlace(flat, distinct) } });
  const from = writer.offset;
  if (isDictionary) writeDictionaryPage(writer, column, distinct);
  const pages = BigInt(writer.offset);
  const count = flat.definition.length;
  const encoding = isDictionary ? 'RLE_DICTIONARY' : element.type === 'BOOLEAN' && count > 16 ? 'RLE' : 'PLAIN';
  const values = isDictionary ? indexes : indexes.map((index) => distinct[index]);
  if (count > 0) writeDataPageV2({ writer, column, encoding, pageData: { values, ...levels } });
  const size = BigInt(writer.offset - from);
  const metadata: Metadata = {
    type: element.type!,
    encodings: [encoding],
    path_in_schema: schemaPath.slice(1).map(({ name }) => name),
    codec,
    num_values: BigInt(count),
    total_compressed_size: size,
    total_uncompressed_size: size,
    data_page_offset: pages,
    ...(isDictionary && { dictionary_page_offset: BigInt(from) }),
    statistics: { ...boundsOf(distinct), null_count: BigInt(count - indexes.length) },
    encoding_stats: [
      ...(isDictionary ? [{ page_type: 'DICTIONARY_PAGE', encoding: 'PLAIN', count: 1 } as const] : []),
      { page_type: 'DATA_PAGE_V2', encoding, count: count > 0 ? 1 : 0 },
    ],
  };
  return { chunk: { meta_data: metadata, file_offset: BigInt(from) } };
}

/** Integers are of 64 bits. */
function encodeValue(value: unknown, { type, converted_type: converted }: SchemaElement): unknown {
  if (type === 'INT64') return BigInt(value as number);
  return type === 'BYTE_ARRAY' && converted !== 'UTF8' ? new Uint8Array(Buffer.from(value as string, 'base64')) : value;
}

/** Bytes of a value, or nearly so: of a text the characters are counted. */
function sizeOf(value: unknown, { type }: SchemaElement): number {
  if (type === 'BOOLEAN') return 1 / 8;
  return type === 'BYTE_ARRAY' ? (value as string | Uint8Array).length + 4 : 8;
}

/** Whether a dictionary with numbered values takes at most half the space of the values. */
function isShorter(sizes: readonly number[], count: number, plainSize: number): boolean {
  if (count === 0) return false;
  const dictionary = sizes.reduce((sum, size) => sum + size, 0);
  const numbers = Math.ceil((count * Math.ceil(Math.log2(sizes.length))) / 8);
  return 2 * (dictionary + numbers) <= plainSize;
}

/** The smallest and the largest value, as readers use them to pass over groups; none for bytes. */
function boundsOf(distinct: readonly unknown[]): Pick<NonNullable<Metadata['statistics']>, 'min_value' | 'max_value'> {
  const values = distinct as readonly number[];
  let [least, most] = [values[0], values[0]];
  if (least === undefined || most === undefined || typeof least === 'object') return {};
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  // The format wants a zero below to be negative, and one above not to be.
  return { min_value: least === 0 ? -0 : least, max_value: most === 0 ? 0 : most };
}

/** All values in their places, as the writer's own way takes them. */
function valuesInPlace(
  { definition, maxDefinitionLevel, indexes }: FlatColumn,
  distinct: readonly unknown[],
): { readonly values: unknown[] } {
  let next = 0;
  return { values: Array.from(definition.bytes, (level) => (level === maxDefinitionLevel ? distinct[indexes[next++]!] : undefined)) };
}
