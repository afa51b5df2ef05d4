/**
 * @file The pieces of a dataset in their order: made one after the other in this thread, or with others next to it where the store is a file
 * and there is enough to do. Where they are made changes nothing in them.
 */

import { type Choice, choose, formats } from '@ludus-agents/store/internal/exports/index';
import { fileOf } from '@ludus-agents/store/internal/file-store';
import { spread, ThreadPool, threadsAtHand } from '@ludus-agents/store/internal/thread-pool';
import { type DatasetPiece, isTyped, PieceMaker } from './piece.ts';
import { type DatasetRequest, portionsFor, type RowRequest } from './request.ts';

/** What a thread gets when it begins. */
export interface PieceThread {
  readonly file: string;
  readonly order: Omit<RowRequest, 'store'>;
}

/** A piece of lines, and one of Parquet: a group of rows ends with its piece, so that these are larger. */
const [lines, groups] = [{ episodes: 250, events: 4_000 } as const, { episodes: 2_000, events: 32_000 } as const];

/** Events of a dataset that takes longer to make than a thread takes to start. */
const enough = 200_000;

/** With so many threads; by default with as many as there are cores, and with one where there is little to do. */
export async function* piecesOf(order: DatasetRequest, most?: number): AsyncGenerator<DatasetPiece, void, undefined> {
  const threads = new Threads(order, most);
  try {
    const choices = await choose(order.store, order.filter, (choices) => threads.expect(choices));
    const portions = portionsFor(order.format, choices, isTyped(order.format) ? groups : lines);
    // Who asks for threads gets what threads make, however little there is.
    if (most !== undefined) await threads.pool?.ready();
    const maker = new PieceMaker(order);
    yield* spread(portions, threads.pool, (choices) => maker.make(choices));
  } finally {
    await threads.pool?.close();
  }
}

/** Started as soon as it is known that there is enough to do, while the rest is still being chosen. */
class Threads {
  pool: ThreadPool<readonly Choice[], DatasetPiece> | null = null;
  readonly #begin: (() => ThreadPool<readonly Choice[], DatasetPiece>) | null;
  #seen = 0;
  #events = 0;

  readonly #enough: number;

  constructor({ store, format, filter, split, wording, preference }: DatasetRequest, requestedThreads: number | undefined) {
    const most = requestedThreads ?? threadsAtHand();
    this.#enough = requestedThreads === undefined ? enough : 0;
    const file = fileOf(store);
    const data: PieceThread | null = file === null ? null : { file, order: { format, filter, split, wording, preference } };
    const isAlone = most < 2 || data === null || formats[format]?.remembers === true;
    this.#begin = isAlone ? null : () => new ThreadPool('./piece-thread', import.meta.url, { data, threads: most - 1 });
  }

  expect(choices: readonly Choice[]): void {
    for (; this.#seen < choices.length; this.#seen++) this.#events += choices[this.#seen].events;
    if (this.pool === null && this.#begin !== null && this.#events >= this.#enough) this.pool = this.#begin();
  }
}
