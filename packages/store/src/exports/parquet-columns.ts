/**
 * @file Splits rows into the flat columns of a Parquet file. A single walk distributes a value to all its columns; the writer's own method
 * walks it once for each column.
 */

import type { SchemaElement } from 'hyparquet';
import type { Columns, ColumnType } from './format.ts';

/** The levels of a column, one byte each: how much of a value's path exists, or which list it continues. */
class Levels {
  #bytes = new Uint8Array(1024);
  length = 0;

  add(level: number, times = 1): void {
    const end = this.length + times;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    if (times === 1) this.#bytes[this.length] = level;
    else this.#bytes.fill(level, this.length, end);
    this.length = end;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}

/**
 * One flat column: its values, and for each how much of its path is there and which list it continues, as Parquet counts them. Of a value
 * that comes again only the number is kept, so that all that is done once for a value is done for different ones alone.
 */
export class FlatColumn {
  /** From the root of the schema to the column itself. */
  readonly path: readonly SchemaElement[];
  readonly maxDefinitionLevel: number;
  readonly definition = new Levels();
  readonly repetition = new Levels();
  /** Different values in the order in which they came, and which of them each value is. */
  distinct: unknown[] = [];
  indexes: number[] = [];
  #numbers = new Map<unknown, number>();

  constructor(path: readonly SchemaElement[], maxDefinitionLevel: number) {
    this.path = path;
    this.maxDefinitionLevel = maxDefinitionLevel;
  }

  add(value: unknown, repetition: number): void {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.distinct.length;
      this.distinct.push(value);
      this.#numbers.set(value, number);
    }
    this.indexes.push(number);
    this.definition.add(this.maxDefinitionLevel);
    this.repetition.add(repetition);
  }

  /** Places without a value. */
  skip(definition: number, repetition: number, times = 1): void {
    this.definition.add(definition, times);
    this.repetition.add(repetition, times);
  }

  clear(): void {
    this.distinct = [];
    this.indexes = [];
    this.#numbers = new Map();
    this.definition.length = 0;
    this.repetition.length = 0;
  }
}

/** Splits values of one type. Levels are those at the position of the type. */
interface Splitter {
  readonly columns: readonly FlatColumn[];
  /** The elements of the schema, a parent before its children. */
  readonly elements: readonly SchemaElement[];
  /** Adds a value to the columns, and returns the number of text characters in it. */
  add(value: unknown, repetition: number): number;
  /** Passes on the values that it has only counted so far. */
  settle(): void;
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

  /** Adds a row, and returns the number of text characters in it. */
  add(row: Readonly<Record<string, unknown>>): number {
    let characters = 0;
    for (const [name, field] of this.#fields) characters += field.add(row[name], 0);
    return characters;
  }

  /** From here on the columns have all of the rows. */
  settle(): void {
    for (const [, field] of this.#fields) field.settle();
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
        column.skip(definition, repetition);
        return 0;
      }
      column.add(value, repetition);
      return typeof value === 'string' ? value.length : 8;
    },
    settle: () => {},
  };
}

/** An existing list counts as one level, and an item in it as one more. */
function listSplitter(name: string, type: ColumnType, { path, definition, repetition: outer }: Place): Splitter {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' };
  const repeated: SchemaElement = { name: 'list', repetition_type: 'REPEATED', num_children: 1 };
  const repetitionLevel = outer + 1;
  const item = splitterOf('element', type, { path: [...path, element, repeated], definition: definition + 2, repetition: repetitionLevel });
  // Lists without items come in long runs, and may have many columns: they are counted here first.
  let [count, heldLevel, heldRepetition] = [0, 0, 0];
  const settle = () => {
    item.settle();
    if (count > 0) for (const column of item.columns) column.skip(heldLevel, heldRepetition, count);
    count = 0;
  };
  return {
    columns: item.columns,
    elements: [element, repeated, ...item.elements],
    add(value, repetition) {
      const items = value as readonly unknown[] | null | undefined;
      if (items === null || items === undefined || items.length === 0) {
        const level = items?.length === 0 ? definition + 1 : definition;
        if (count === 0 || level !== heldLevel || repetition !== heldRepetition) {
          settle();
          [heldLevel, heldRepetition] = [level, repetition];
        }
        count++;
        return 0;
      }
      if (count > 0) settle();
      let characters = 0;
      for (let i = 0; i < items.length; i++) characters += item.add(items[i], i === 0 ? repetition : repetitionLevel);
      return characters;
    },
    settle,
  };
}

function objectSplitter(name: string, fields: Columns, { path, definition, repetition: outer }: Place): Splitter {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL', num_children: Object.keys(fields).length };
  const inner = splittersOf(fields, { path: [...path, element], definition: definition + 1, repetition: outer });
  const columns = inner.flatMap(([, field]) => field.columns);
  const settle = () => {
    for (const [, field] of inner) field.settle();
  };
  return {
    columns,
    elements: [element, ...inner.flatMap(([, field]) => field.elements)],
    add(value, repetition) {
      if (value === null || value === undefined) {
        settle();
        for (const column of columns) column.skip(definition, repetition);
        return 0;
      }
      let characters = 0;
      for (const [key, field] of inner) characters += field.add((value as Readonly<Record<string, unknown>>)[key], repetition);
      return characters;
    },
    settle,
  };
}
