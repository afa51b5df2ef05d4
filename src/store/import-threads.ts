/** @file Threads that check and pack the lines of an import ahead of the one that stores them. */

import type { ImportBlock, PackedBlock } from './packed-block.ts';
import { withoutLine } from './text-memo.ts';
import { ThreadPool, threadsAtHand } from './thread-pool.ts';

export interface ImportTask {
  readonly kind: 'pack' | 'learn' | 'forget';
  readonly lines: readonly string[];
}

/** Characters of a block; of a file from which on it takes longer to read than a thread takes to start. */
const [blockSize, enough] = [2 ** 20, 2 ** 23];
/** To store takes as long as to pack what two threads pack. */
const mostThreads = 2;
/** Blocks of a thread: while this one stores several at once, there is something to pack. */
const ahead = 6;

const plain = /^\{"kind":"(?:episode|scores|value)"/;
const opening = '{"kind":"episode"';
const value = '{"kind":"value"';

/** Lines in blocks: a block ends before an episode, and a line of another kind is one by itself. */
export async function* blocksOf(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<ImportBlock, void, undefined> {
  let [from, number, size, some]: [number, number, number, string[]] = [1, 0, 0, []];
  const block = (): ImportBlock => ({ from, lines: some, size, isPlain: true });
  for await (const line of lines) {
    number++;
    const isPlain = plain.test(line);
    if (some.length > 0 && (!isPlain || (size >= blockSize && line.startsWith(opening)))) {
      yield block();
      [size, some] = [0, []];
    }
    if (some.length === 0) from = number;
    if (isPlain) {
      some.push(line);
      size += line.length;
    } else yield { from: number, lines: [line], size: line.length, isPlain: false };
  }
  if (some.length > 0) yield block();
}

export class ImportThreads {
  #pool: ThreadPool<ImportTask, PackedBlock | null> | null = null;
  readonly #threads: number;
  readonly #enough: number;
  /** Lines of values that a block may refer to, for threads that begin later. */
  #values: string[] = [];
  #seen = 0;

  /** So many threads beside this one; by default as many as are of use, once there is enough to do. */
  constructor(threads?: number) {
    this.#threads = threads ?? Math.min(threadsAtHand() - 1, mostThreads);
    this.#enough = threads === undefined ? enough : 0;
  }

  /** How many blocks are to be on their way. */
  get depth(): number {
    return this.#pool === null ? 0 : this.#pool.size * ahead;
  }

  /** What a thread makes of a block; null where this thread is to read it. */
  pack(block: ImportBlock): Promise<PackedBlock> | null {
    this.#seen += block.size;
    if (!block.isPlain) {
      // It may begin another section, or end the file: what is forgotten too early is read by this thread.
      this.#values = [];
      this.#pool?.tell({ kind: 'forget', lines: [] });
      return null;
    }
    const values = valuesIn(block);
    const pool = this.#begun();
    const packed =
      pool === null || pool.room === 0 ? null : pool.make({ kind: 'pack', lines: block.lines }, { kind: 'learn', lines: values });
    if (packed === null && values.length > 0) pool?.tell({ kind: 'learn', lines: values });
    for (const line of values) this.#values.push(line);
    return packed as Promise<PackedBlock> | null;
  }

  async ready(): Promise<void> {
    if (this.#enough === 0) await this.#begun()?.ready();
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  #begun(): ThreadPool<ImportTask, PackedBlock | null> | null {
    if (this.#pool !== null || this.#threads < 1 || this.#seen < this.#enough) return this.#pool;
    this.#pool = new ThreadPool('./import-thread', import.meta.url, { data: null, threads: this.#threads, ahead });
    if (this.#values.length > 0) this.#pool.tell({ kind: 'learn', lines: this.#values });
    return this.#pool;
  }
}

/** Lines of shared values, each a text of its own. */
export function valuesIn({ lines }: ImportBlock): readonly string[] {
  return lines.filter((line) => line.startsWith(value)).map(withoutLine);
}
