/** @file Writes a dataset as files: rows to the file of their table and split, and a card. Only a few pieces are in memory at a time. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { cardText, DatasetCard } from '@ludus-agents/store/internal/exports/card';
import { csvLines, scoreNames } from '@ludus-agents/store/internal/exports/csv';
import { inspectLog } from '@ludus-agents/store/internal/exports/inspect';
import type { RowGroup } from '@ludus-agents/store/internal/exports/parquet';
import type { AtomicFile, FileDigest } from '@ludus-agents/store/internal/files/atomic-file';
import { commitPart, openAtomicFile, partName, toDiskFault, writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { manifestPath, writeManifest } from '@ludus-agents/store/internal/files/manifest';
import { withSlashes } from '@ludus-agents/store/internal/files/portable-path';
import { rowFormats, textFormats } from './formats.ts';
import { type FilePiece, fileKey } from './piece.ts';
import { piecesOf } from './pieces.ts';
import { type DatasetRequest, type DatasetRow, type Ears, notesOf, playsOf, tablesOf } from './request.ts';

export interface Written {
  readonly files: readonly { readonly path: string; readonly rows: number; readonly split: string }[];
  readonly cards: readonly string[];
  readonly episodes: number;
  readonly left: Readonly<Record<string, number>>;
  readonly tasks: { readonly train: number; readonly eval: number };
}

/** The content of a single-text format, line by line or piece by piece, including line ends. */
export async function* textOf(order: DatasetRequest, name: string, ears: Ears): AsyncGenerator<string, void, undefined> {
  if (order.format === 'inspect') {
    const options = { name, at: order.at.toISOString(), version: order.version };
    let pass = 0;
    yield* inspectLog(() => playsOf(order, pass++ === 0 ? ears : undefined), options);
    return;
  }
  const scores = await scoreNames(playsOf(order, ears));
  for await (const line of csvLines(playsOf(order), scores)) yield `${line}\n`;
}

/** A destination for pieces of a file, which gets its final name when complete. */
interface Sink {
  add(content: FilePiece['content']): Promise<void>;
  commit(): Promise<FileDigest>;
  discard(): void;
}

/**
 * Writes a dataset to a file, if the name has a file extension, or into a folder. `threads`: by default one per core if there is enough
 * work.
 */
export async function writeDataset(order: DatasetRequest, out: string, threads?: number): Promise<Written> {
  const left: Record<string, number> = { ...order.omitted };
  const leave = (why: string, times = 1) => {
    left[why] = (left[why] ?? 0) + times;
  };
  const ears: Ears = { provenance: new DatasetCard(), leave: (why) => leave(why) };
  const shelf = new Shelf(order, out);
  try {
    if (order.format in textFormats) await shelf.text(textOf(order, basename(out), ears));
    else {
      await shelf.begin();
      for await (const { files, left: missing, provenance } of piecesOf(order, threads)) {
        for (const file of files) await shelf.add(file);
        for (const [why, times] of Object.entries(missing)) leave(why, times);
        ears.provenance.add(provenance);
      }
    }
    await shelf.commit();
  } finally {
    shelf.discard();
  }
  const files = shelf.files();
  const facts = {
    name: basename(out).replace(/\.[a-z]+$/, ''),
    format: order.format,
    about: rowFormats[order.format] ?? textFormats[order.format],
    notes: notesOf(order.format),
    at: order.at.toISOString(),
    version: order.version,
    filter: order.filter,
    split: order.split,
    files,
    left,
  };
  const card = ears.provenance.card(facts, await order.store.specs());
  const cards = shelf.cards(card);
  shelf.finish({ episodes: card['episodes'] as number, tasks: ears.provenance.tasks.train + ears.provenance.tasks.eval });
  return { files, cards, episodes: card['episodes'] as number, left, tasks: ears.provenance.tasks };
}

/** The files of one dataset. */
class Shelf {
  readonly #order: DatasetRequest;
  readonly #out: string;
  /** Whether the output is a folder, or files with a common name. */
  readonly #folder: boolean;
  readonly #sinks = new Map<
    string,
    { readonly sink: Sink; readonly path: string; readonly split: string; rows: number; digest?: FileDigest }
  >();

  constructor(order: DatasetRequest, out: string) {
    this.#order = order;
    this.#out = out;
    this.#folder = extname(out) === '';
    if (this.#folder) makeAt(() => checkFolder(out), out);
    makeAt(() => mkdirSync(this.#folder ? join(out, 'data') : dirname(out), { recursive: true }), out);
    if (this.#folder) makeAt(() => writeFileSync(join(out, unfinished), ''), out);
  }

  /** A dataset without rows has an empty file. */
  async begin(): Promise<void> {
    const sides = this.#order.split.evalShare > 0 ? (['train', 'eval'] as const) : (['train'] as const);
    for (const table of tablesOf(this.#order.format)) for (const split of sides) await this.#sink({ table, split });
  }

  async add({ table, split, rows, content }: FilePiece): Promise<void> {
    const place = this.#sinks.get(fileKey(table, split));
    if (place === undefined) throw new Error(`The table "${table}" of ${split} has no file.`);
    await place.sink.add(content);
    place.rows += rows;
  }

  async text(pieces: AsyncIterable<string>): Promise<void> {
    const path = this.#folder ? join(this.#out, 'data', `train.${this.#order.format === 'csv' ? 'csv' : 'json'}`) : this.#out;
    const file = new TextFile(path);
    const place = { sink: file, path, split: 'train', rows: 0 };
    this.#sinks.set('', place);
    for await (const piece of pieces) {
      file.write(piece);
      place.rows++;
    }
    // Header and footer are not rows.
    place.rows -= this.#order.format === 'csv' ? 1 : 2;
  }

  /** Renames all files together, and removes files of an older dataset in the same folder. */
  async commit(): Promise<void> {
    for (const place of this.#sinks.values()) place.digest = await place.sink.commit();
    if (!this.#folder) return;
    const retained = new Set([...this.#sinks.values()].map(({ path }) => path));
    const data = join(this.#out, 'data');
    for (const file of readdirSync(data, { recursive: true, withFileTypes: true })) {
      const path = join(file.parentPath, file.name);
      if (file.isFile() && !retained.has(path)) rmSync(path);
    }
  }

  discard(): void {
    for (const { sink } of this.#sinks.values()) sink.discard();
  }

  /** Writes the manifest last; then the folder is no longer marked as unfinished. */
  finish(counts: Readonly<Record<string, number>>): void {
    const from = this.#folder ? this.#out : dirname(this.#out);
    const files = [...this.#sinks.values()].map(({ path, rows, digest }) => {
      return { file: withSlashes(relative(from, path)), ...(digest as FileDigest), rows };
    });
    writeManifest(manifestPath(this.#out, this.#folder), { format: this.#order.format, files, counts });
    if (this.#folder) rmSync(join(this.#out, unfinished), { force: true });
  }

  files(): Written['files'] {
    const from = this.#folder ? this.#out : dirname(this.#out);
    return [...this.#sinks.values()].map(({ path, rows, split }) => ({ path: relative(from, path), rows, split }));
  }

  cards(card: JsonObject): readonly string[] {
    const bare = this.#out.slice(0, this.#out.length - extname(this.#out).length);
    const paths = this.#folder ? [join(this.#out, 'README.md'), join(this.#out, 'card.json')] : [`${bare}.card.md`, `${bare}.card.json`];
    writeFileAtomicSync(paths[0], cardText(card));
    writeFileAtomicSync(paths[1], `${JSON.stringify(card, null, 2)}\n`);
    return paths;
  }

  async #sink({ table, split }: Pick<DatasetRow, 'table' | 'split'>) {
    const path = this.#path(table.name, split, table.columns === undefined ? '.jsonl' : '.parquet');
    makeAt(() => mkdirSync(dirname(path), { recursive: true }), path);
    const sink = await sinkFor(path, table);
    const place = { sink, path, split, rows: 0 };
    this.#sinks.set(fileKey(table.name, split), place);
  }

  /** Paths as on the Hugging Face hub; a single file has table and split in its name if there are several. */
  #path(table: string, split: 'train' | 'eval', ending: string): string {
    if (this.#folder) return join(this.#out, 'data', table, `${split}-00000-of-00001${ending}`);
    const input = extname(this.#out);
    const bare = this.#out.slice(0, this.#out.length - input.length);
    const parts = [table, this.#order.split.evalShare > 0 ? split : ''].filter((part) => part !== '');
    return [bare, ...parts].join('.') + input;
  }
}

/** Marks the folder of a dataset during writing, so that an interrupted one can be recognized. */
export const unfinished = '.unfinished';

/** Allows replacing an earlier dataset of ours as a whole; refuses a folder with other data. */
export function checkFolder(folder: string): void {
  if (!existsSync(join(folder, 'data')) || existsSync(join(folder, unfinished))) return;
  const card = join(folder, 'card.json');
  if (existsSync(card) && readFileSync(card, 'utf8').includes('"ludus-dataset"')) return;
  const others = readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true }).filter(
    (file) => file.isFile() && !file.name.endsWith('.part'),
  );
  if (others.length > 0)
    throw new Fault('input', `${folder} contains data that is not a Ludus dataset. Choose another folder.`, { code: 'E_INVALID_DOCUMENT' });
}

async function sinkFor(path: string, { columns }: DatasetRow['table']): Promise<Sink> {
  if (columns === undefined) return new TextFile(path);
  const { ParquetFile } = await import('@ludus-agents/store/internal/exports/parquet');
  const part = partName(path);
  const file = makeAt(() => new ParquetFile(part, columns), path);
  return {
    async add(content) {
      try {
        for (const group of content as readonly RowGroup[]) await file.append(group);
      } catch (thrown) {
        throw toDiskFault(thrown, path);
      }
    },
    async commit() {
      await file.close();
      return commitPart(part, path);
    },
    discard: () => rmSync(part, { force: true }),
  };
}

/** Writes lines to a file, several at a time. */
class TextFile implements Sink {
  readonly #file: AtomicFile;
  #pieces: string[] = [];
  #size = 0;

  constructor(path: string) {
    this.#file = openAtomicFile(path);
  }

  async add(lines: FilePiece['content']): Promise<void> {
    for (const bytes of lines as readonly Uint8Array[]) this.#file.write(bytes);
  }

  write(text: string): void {
    this.#pieces.push(text);
    this.#size += text.length;
    if (this.#size >= 2 ** 18) this.#flush();
  }

  async commit(): Promise<FileDigest> {
    this.#flush();
    return this.#file.commit();
  }

  discard(): void {
    this.#file.discard();
  }

  #flush(): void {
    this.#file.write(this.#pieces.join(''));
    this.#pieces = [];
    this.#size = 0;
  }
}

function makeAt<T>(make: () => T, path: string): T {
  try {
    return make();
  } catch (thrown) {
    throw toDiskFault(thrown, path);
  }
}
