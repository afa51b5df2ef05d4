/**
 * @file Rows taken apart into the flat columns that a Parquet file consists of. A value goes to all columns that it has parts in on one walk;
 * the writer's own way walks it once for each of them.
 */

import type { SchemaElement } from 'hyparquet';
import type { Columns, ColumnType } from './format.ts';

/**
 * One flat column: its values, and for each how much of its path is there and which list it continues, as Parquet counts them. A column that
 * is neither in a list nor in an object has no repetition levels.
 */
export class FlatColumn {
  /** From the root of the schema to the column itself. */
  readonly path: readonly SchemaElement[];
  readonly maxDefinitionLevel: number;
  values: unknown[] = [];
  definitionLevels: number[] = [];
  repetitionLevels: number[] = [];

  constructor(path: readonly SchemaElement[], maxDefinitionLevel: number) {
    this.path = path;
    this.maxDefinitionLevel = maxDefinitionLevel;
  }

  add(value: unknown, definition: number, repetition: number): void {
    this.values.push(value);
    this.definitionLevels.push(definition);
    if (this.path.length > 2) this.repetitionLevels.push(repetition);
  }

  clear(): void {
    this.values = [];
    this.definitionLevels = [];
    this.repetitionLevels = [];
  }
}

/** Takes values of one type apart. Levels are those of the place in which the type stands. */
interface Splitter {
  readonly columns: readonly FlatColumn[];
  /** The elements of the schema, a parent before its children. */
  readonly elements: readonly SchemaElement[];
  /** Adds a value to the columns, and gives the characters of text in it. */
  add(value: unknown, repetition: number): number;
}

interface Place {
  readonly path: readonly SchemaElement[];
  readonly definition: number;
  readonly repetition: number;
}

/** Takes rows apart. Every field may be missing. */
export class RowSplitter {
  readonly schema: readonly SchemaElement[];
  readonly columns: readonly FlatColumn[];
  readonly #fields: readonly (readonly [string, Splitter])[];

  constructor(columns: Columns) {
    const root: SchemaElement = { name: 'root', num_children: Object.keys(columns).length };
    this.#fields = splittersOf(columns, { path: [root], definition: 0, repetition: 0 });
    this.schema = [root, ...this.#fields.flatMap(([, { elements }]) => elements)];
    this.columns = this.#fields.flatMap(([, field]) => field.columns);
  }

  /** Adds a row, and gives the characters of text in it. */
  add(row: Readonly<Record<string, unknown>>): number {
    let characters = 0;
    for (const [name, field] of this.#fields) characters += field.add(row[name], 0);
    return characters;
  }
}

function splittersOf(columns: Columns, place: Place): readonly (readonly [string, Splitter])[] {
  return Object.entries(columns).map(([name, type]) => [name, splitterOf(name, type, place)] as const);
}

function splitterOf(name: string, type: ColumnType, place: Place): Splitter {
  if (typeof type === 'string') return leafSplitter(name, type, place);
  return 'list' in type ? listSplitter(name, type.list, place) : objectSplitter(name, type.fields, place);
}

const leaves = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  bytes: { type: 'BYTE_ARRAY' },
  whole: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  yesno: { type: 'BOOLEAN' },
} as const satisfies Record<Extract<ColumnType, string>, Partial<SchemaElement>>;

function leafSplitter(name: string, type: Extract<ColumnType, string>, { path, definition }: Place): Splitter {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL', ...leaves[type] };
  const column = new FlatColumn([...path, element], definition + 1);
  return {
    columns: [column],
    elements: [element],
    add(value, repetition) {
      if (value === null || value === undefined) {
        column.add(undefined, definition, repetition);
        return 0;
      }
      column.add(encodeValue(value, type), definition + 1, repetition);
      return typeof value === 'string' ? value.length : 8;
    },
  };
}

/** Whole numbers are of 64 bits. */
function encodeValue(value: unknown, type: ColumnType): unknown {
  if (type === 'whole') return BigInt(value as number);
  return type === 'bytes' ? new Uint8Array(Buffer.from(value as string, 'base64')) : value;
}

/** A list that is there counts as one level, and an item in it as one more. */
function listSplitter(name: string, type: ColumnType, { path, definition, repetition: outer }: Place): Splitter {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' };
  const repeated: SchemaElement = { name: 'list', repetition_type: 'REPEATED', num_children: 1 };
  const own = outer + 1;
  const item = splitterOf('element', type, { path: [...path, element, repeated], definition: definition + 2, repetition: own });
  return {
    columns: item.columns,
    elements: [element, repeated, ...item.elements],
    add(value, repetition) {
      const items = value as readonly unknown[] | null | undefined;
      if (items === null || items === undefined || items.length === 0) {
        for (const column of item.columns) column.add(undefined, items?.length === 0 ? definition + 1 : definition, repetition);
        return 0;
      }
      let characters = 0;
      for (let i = 0; i < items.length; i++) characters += item.add(items[i], i === 0 ? repetition : own);
      return characters;
    },
  };
}

function objectSplitter(name: string, fields: Columns, { path, definition, repetition: outer }: Place): Splitter {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL', num_children: Object.keys(fields).length };
  const inner = splittersOf(fields, { path: [...path, element], definition: definition + 1, repetition: outer });
  const columns = inner.flatMap(([, field]) => field.columns);
  return {
    columns,
    elements: [element, ...inner.flatMap(([, field]) => field.elements)],
    add(value, repetition) {
      if (value === null || value === undefined) {
        for (const column of columns) column.add(undefined, definition, repetition);
        return 0;
      }
      let characters = 0;
      for (const [key, field] of inner) characters += field.add((value as Readonly<Record<string, unknown>>)[key], repetition);
      return characters;
    },
  };
}
