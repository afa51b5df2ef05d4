/** @file A small table as one Parquet file, whole or not at all. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { commitPart, partName } from '../files/atomic-file.ts';

/** Columns are text unless they are said to be numbers. */
export async function writeParquet(
  path: string,
  columns: readonly string[],
  rows: readonly (readonly (Json | undefined)[])[],
  numbers: Readonly<Partial<Record<string, 'number' | 'whole'>>>,
): Promise<void> {
  const { ParquetFile } = await import('./parquet.ts');
  const part = partName(path);
  const types = Object.fromEntries(columns.map((name) => [name, numbers[name] ?? 'text'] as const));
  const out = new ParquetFile(part, types);
  for (const row of rows) {
    const cells: JsonObject = Object.fromEntries(
      columns.map((name, i) => [name, types[name] === 'text' ? textOf(row[i]) : (row[i] ?? null)]),
    );
    await out.add(cells);
  }
  await out.close();
  await commitPart(part, path);
}

function textOf(value: Json | undefined): Json {
  return value === null || value === undefined ? null : String(value);
}
