/** @file Threads that support the one that imports into a file: they check and pack the next lines, and commit the previous ones. */

import { Worker } from 'node:worker_threads';
import { threadFlags } from '@ludus-agents/kernel/internal/core/thread-flags';
import { BlockPacker, type ImportBlock, type PackedBlock } from './packed-block.ts';
import { withoutLine } from './text-memo.ts';
import { ThreadPool, threadsAtHand } from './thread-pool.ts';

/**
 * A thread that takes commits over from the write-ahead log of a SQLite file into the file itself, while the thread that commits goes on:
 * else SQLite does so in one of the next commits, which takes a tenth of a long import, and waits for the disk twice more.
 */
export class Checkpoints {
  readonly #worker: Worker;
  #isIdle = false;

  constructor(file: string) {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    this.#worker = new Worker(new URL(`./checkpoint-thread.${extension}`, import.meta.url), { workerData: file, execArgv: threadFlags });
    this.#worker.on('message', () => {
      this.#isIdle = true;
    });
    // The thread is then not used again, and SQLite does all checkpoints, as it also does if this thread is too slow.
    this.#worker.on('error', () => {});
    this.#worker.unref();
  }

  /** To be called after a commit. */
  ask(): void {
    if (!this.#isIdle) return;
    this.#isIdle = false;
    this.#worker.postMessage(null);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

export interface ImportTask {
  readonly kind: 'pack' | 'learn' | 'forget';
  readonly lines: readonly string[];
}

/** Characters of a block; of a file from which on it takes longer to read than a thread takes to start. */
const [blockSize, enough] = [2 ** 20, 2 ** 23];
/** Storing takes as long as two threads take to pack. */
const mostThreads = 2;
/** Blocks queued per thread: while this thread stores several at once, the others stay busy. */
const depth = 6;

const plain = /^\{"kind":"(?:episode|scores|value)"/;
const opening = '{"kind":"episode"';
const value = '{"kind":"value"';

/** Lines in blocks: a block ends before an episode, and a line of another kind is one by itself. */
export async function* blocksOf(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<ImportBlock, void, undefined> {
  let [from, number, size, subset]: [number, number, number, string[]] = [1, 0, 0, []];
  const block = (): ImportBlock => ({ from, lines: subset, size, isPlain: true });
  for await (const line of lines) {
    number++;
    const isPlain = plain.test(line);
    if (subset.length > 0 && (!isPlain || (size >= blockSize && line.startsWith(opening)))) {
      yield block();
      [size, subset] = [0, []];
    }
    if (subset.length === 0) from = number;
    if (isPlain) {
      subset.push(line);
      size += line.length;
    } else yield { from: number, lines: [line], size: line.length, isPlain: false };
  }
  if (subset.length > 0) yield block();
}

/** A block on its way; null where it is to be read line by line. */
export interface BlockAhead {
  readonly block: ImportBlock;
  readonly packed: Promise<PackedBlock> | null;
  isPacked: boolean;
}

export class ImportThreads {
  readonly #file: string;
  #pool: ThreadPool<ImportTask, PackedBlock | null> | null = null;
  #checkpoints: Checkpoints | null = null;
  readonly #own = new BlockPacker();
  readonly #threads: number;
  readonly #enough: number;
  /** Lines of values that a block may refer to, and how many of them are known to the packer of this thread. */
  #values: string[] = [];
  #known = 0;
  #seen = 0;

  /** The number of packing threads besides this one; by default as many as are useful, once there is enough work. */
  constructor(file: string, threads?: number) {
    this.#file = file;
    this.#threads = threads ?? Math.min(threadsAtHand() - 1, mostThreads);
    this.#enough = threads === undefined ? enough : 0;
  }

  /**
   * Starts packing a block: in a thread or, if all are busy, in this one. A block that is not expected to be new is not packed, because it
   * must be compared with the stored data.
   */
  send(block: ImportBlock, isNew: boolean): BlockAhead {
    const packed = this.#pack(block, isNew);
    const blockAhead: BlockAhead = { block, packed, isPacked: packed === null };
    packed?.then(
      () => {
        blockAhead.isPacked = true;
      },
      () => {},
    );
    return blockAhead;
  }

  /** Whether one more block can be sent while the first of these is not packed yet. */
  hasRoom(ahead: readonly BlockAhead[]): boolean {
    return ahead[0]?.isPacked === false && ahead.length < 2 * this.#threads * depth;
  }

  async ready(): Promise<void> {
    if (this.#enough === 0) await this.#begun()?.ready();
  }

  /** To be called after a commit. */
  onCommit(): void {
    this.#checkpoints?.ask();
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool?.close(), this.#checkpoints?.close()]);
  }

  #pack(block: ImportBlock, isNew: boolean): Promise<PackedBlock> | null {
    this.#seen += block.size;
    if (!block.isPlain) {
      // It may start another section, or end the file: a value that is dropped too early is read by this thread.
      [this.#values, this.#known] = [[], 0];
      this.#own.forget();
      this.#pool?.tell({ kind: 'forget', lines: [] });
      return null;
    }
    const values = valuesIn(block);
    const pool = this.#begun();
    if (isNew && pool !== null && pool.room > 0) {
      const packed = pool.make({ kind: 'pack', lines: block.lines }, values.length === 0 ? undefined : { kind: 'learn', lines: values });
      for (const line of values) this.#values.push(line);
      return packed as Promise<PackedBlock>;
    }
    if (values.length > 0) pool?.tell({ kind: 'learn', lines: values });
    const packed = isNew && pool?.isReady === true ? this.#packHere(block) : null;
    for (const line of values) this.#values.push(line);
    return packed;
  }

  async #packHere({ lines }: ImportBlock): Promise<PackedBlock> {
    this.#own.learn(this.#values.slice(this.#known));
    this.#known = this.#values.length;
    return this.#own.pack(lines);
  }

  #begun(): ThreadPool<ImportTask, PackedBlock | null> | null {
    if (this.#pool !== null || this.#threads < 1 || this.#seen < this.#enough) return this.#pool;
    this.#pool = new ThreadPool('./import-thread', import.meta.url, { data: null, threads: this.#threads, ahead: depth });
    this.#checkpoints = new Checkpoints(this.#file);
    if (this.#values.length > 0) this.#pool.tell({ kind: 'learn', lines: this.#values });
    return this.#pool;
  }
}

/** Lines of shared values, each its own text. */
export function valuesIn({ lines }: ImportBlock): readonly string[] {
  return lines.filter((line) => line.startsWith(value)).map(withoutLine);
}
