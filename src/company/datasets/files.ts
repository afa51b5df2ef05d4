/** @file A dataset as files: rows to the file of their table and split, and a card beside them. Whatever its length, a few pieces of it are held. */

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import { Fault, isFault, type JsonObject } from '../../core/index.ts';
import { cardText, Provenance } from '../../store/exports/card.ts';
import { csvLines, scoreNames } from '../../store/exports/csv.ts';
import { inspectLog } from '../../store/exports/inspect.ts';
import { reasonOf } from '../files.ts';
import { type Ears, notesOf, type Order, playsOf, type Row, rowFormats, rowsOf, tablesOf } from './order.ts';

export interface Written {
  readonly files: readonly { readonly path: string; readonly rows: number; readonly split: string }[];
  readonly cards: readonly string[];
  readonly episodes: number;
  readonly left: Readonly<Record<string, number>>;
  readonly tasks: { readonly train: number; readonly eval: number };
}

/** Formats that are one text, not rows. */
export const textFormats: Readonly<Record<string, string>> = {
  csv: 'a spreadsheet of episodes: returns, costs and scores, a seat a row',
  inspect: 'a log that Inspect reads (.json): a sample for each seat of each episode',
};

/** The text of a format that is one, line by line or piece by piece, each with its end. */
export async function* textOf(order: Order, name: string, ears: Ears): AsyncGenerator<string, void, undefined> {
  if (order.format === 'inspect') {
    const options = { name, at: order.at.toISOString(), version: order.version };
    let pass = 0;
    yield* inspectLog(() => playsOf(order, pass++ === 0 ? ears : undefined), options);
    return;
  }
  const scores = await scoreNames(playsOf(order, ears));
  for await (const line of csvLines(playsOf(order), scores)) yield `${line}\n`;
}

/** Something that takes rows and is closed. */
interface Sink {
  add(row: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/** Writes a dataset to a file, if its name ends like one, or into a folder. */
export async function writeDataset(order: Order, out: string): Promise<Written> {
  const left: Record<string, number> = {};
  const ears: Ears = {
    provenance: new Provenance(),
    leave: (why) => {
      left[why] = (left[why] ?? 0) + 1;
    },
  };
  const shelf = new Shelf(order, out);
  try {
    if (order.format in textFormats) await shelf.text(textOf(order, basename(out), ears));
    else await shelf.rows(rowsOf(order, ears));
  } finally {
    await shelf.close();
  }
  const files = shelf.files();
  const facts = {
    name: basename(out).replace(/\.[a-z]+$/, ''),
    format: order.format,
    about: rowFormats[order.format] ?? (textFormats[order.format] as string),
    notes: notesOf(order.format),
    at: order.at.toISOString(),
    version: order.version,
    filter: order.filter,
    split: order.split,
    files,
    left,
  };
  const card = ears.provenance.card(facts, await order.store.specs());
  const cards = await shelf.cards(card);
  return { files, cards, episodes: card['episodes'] as number, left, tasks: ears.provenance.tasks };
}

/** The files of one dataset. */
class Shelf {
  readonly #order: Order;
  readonly #out: string;
  /** In a folder, or in files that are named after one. */
  readonly #folder: boolean;
  readonly #sinks = new Map<string, { readonly sink: Sink; readonly path: string; readonly split: string; rows: number }>();

  constructor(order: Order, out: string) {
    this.#order = order;
    this.#out = out;
    this.#folder = extname(out) === '';
    if (this.#folder) made(() => cleared(out), out);
    made(() => mkdirSync(this.#folder ? join(out, 'data') : dirname(out), { recursive: true }), out);
  }

  async rows(rows: AsyncIterable<Row>): Promise<void> {
    // Somebody who trains on nothing should find an empty file, not none.
    const sides = this.#order.split.evalShare > 0 ? (['train', 'eval'] as const) : (['train'] as const);
    for (const table of tablesOf(this.#order.format)) for (const split of sides) await this.#sink({ table, split });
    for await (const one of rows) {
      const place = await this.#sink(one);
      await place.sink.add(one.row);
      place.rows++;
    }
  }

  async text(pieces: AsyncIterable<string>): Promise<void> {
    const path = this.#folder ? join(this.#out, 'data', `train.${this.#order.format === 'csv' ? 'csv' : 'json'}`) : this.#out;
    const file = await TextFile.open(path);
    const place = { sink: file, path, split: 'train', rows: 0 };
    this.#sinks.set('', place);
    for await (const piece of pieces) {
      await file.write(piece);
      place.rows++;
    }
    // Head and foot are no rows.
    place.rows -= this.#order.format === 'csv' ? 1 : 2;
  }

  async close(): Promise<void> {
    for (const { sink } of this.#sinks.values()) await sink.close();
  }

  files(): Written['files'] {
    const from = this.#folder ? this.#out : dirname(this.#out);
    return [...this.#sinks.values()].map(({ path, rows, split }) => ({ path: relative(from, path), rows, split }));
  }

  async cards(card: JsonObject): Promise<readonly string[]> {
    const bare = this.#out.slice(0, this.#out.length - extname(this.#out).length);
    const paths = this.#folder ? [join(this.#out, 'README.md'), join(this.#out, 'card.json')] : [`${bare}.card.md`, `${bare}.card.json`];
    await writeFile(paths[0] as string, cardText(card));
    await writeFile(paths[1] as string, `${JSON.stringify(card, null, 2)}\n`);
    return paths;
  }

  async #sink({ table, split }: Pick<Row, 'table' | 'split'>) {
    const key = `${table.name} ${split}`;
    const known = this.#sinks.get(key);
    if (known !== undefined) return known;
    const path = this.#path(table.name, split, table.columns === undefined ? '.jsonl' : '.parquet');
    made(() => mkdirSync(dirname(path), { recursive: true }), path);
    const sink = await sinkFor(path, table);
    const place = { sink, path, split, rows: 0 };
    this.#sinks.set(key, place);
    return place;
  }

  /** As the Hugging Face hub names its parts; a single file carries table and split in its name where there are several. */
  #path(table: string, split: 'train' | 'eval', ending: string): string {
    if (this.#folder) return join(this.#out, 'data', table, `${split}-00000-of-00001${ending}`);
    const given = extname(this.#out);
    const bare = this.#out.slice(0, this.#out.length - given.length);
    const parts = [table, this.#order.split.evalShare > 0 ? split : ''].filter((part) => part !== '');
    return [bare, ...parts].join('.') + given;
  }
}

/** A dataset that was made here before is replaced as a whole: files of an older split must not stay among the new ones. */
function cleared(folder: string): void {
  const data = join(folder, 'data');
  if (!existsSync(data)) return;
  const card = join(folder, 'card.json');
  if (!existsSync(card) || !readFileSync(card, 'utf8').includes('"ludus-dataset"'))
    throw new Fault('input', `${folder} holds data that is no dataset made here; name another folder.`);
  rmSync(data, { recursive: true });
}

async function sinkFor(path: string, { columns }: Row['table']): Promise<Sink> {
  if (columns === undefined) return TextFile.open(path);
  const { ParquetFile } = await import('../../store/exports/parquet.ts');
  return made(() => new ParquetFile(path, columns), path);
}

/** Lines into a file, some at a time. */
class TextFile implements Sink {
  readonly #file: FileHandle;
  #pieces: string[] = [];
  #size = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<TextFile> {
    try {
      return new TextFile(await open(path, 'w'));
    } catch (thrown) {
      throw unwritable(path, thrown);
    }
  }

  add(row: JsonObject): Promise<void> {
    return this.write(`${JSON.stringify(row)}\n`);
  }

  async write(text: string): Promise<void> {
    this.#pieces.push(text);
    this.#size += text.length;
    if (this.#size >= 2 ** 18) await this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#size = 0;
    if (text !== '') await this.#file.appendFile(text);
  }
}

function made<T>(make: () => T, path: string): T {
  try {
    return make();
  } catch (thrown) {
    throw unwritable(path, thrown);
  }
}

function unwritable(path: string, thrown: unknown): Fault {
  if (isFault(thrown)) return thrown;
  return new Fault('input', `${path} cannot be written: ${reasonOf(thrown)}.`, { cause: thrown });
}
