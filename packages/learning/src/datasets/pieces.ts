/**
 * @file The pieces of a dataset in order: built sequentially in this thread, or by additional threads if the store is a file and there is
 * enough work. The result is the same.
 */

import { type Choice, choose, formats } from '@ludus-agents/store/internal/exports/index';
import { fileOf } from '@ludus-agents/store/internal/file-store';
import { spread, ThreadPool, threadsAtHand } from '@ludus-agents/store/internal/thread-pool';
import { type DatasetPiece, isTyped, PieceMaker } from './piece.ts';
import { type DatasetRequest, portionsFor, type RowRequest } from './request.ts';

/** The initial data of a worker thread. */
export interface PieceThread {
  readonly file: string;
  readonly order: Omit<RowRequest, 'store'>;
}

/** The piece sizes for lines and for Parquet, where a row group ends with its piece and should be larger. */
const [lines, groups] = [{ episodes: 250, events: 4_000 } as const, { episodes: 2_000, events: 32_000 } as const];

/** The number of events above which building takes longer than starting a thread. */
const enough = 200_000;

/** Uses the given number of threads; by default one per core, or one if there is little work. */
export async function* piecesOf(order: DatasetRequest, most?: number): AsyncGenerator<DatasetPiece, void, undefined> {
  const threads = new Threads(order, most);
  try {
    const choices = await choose(order.store, order.filter, (choices) => threads.expect(choices));
    const portions = portionsFor(order.format, choices, isTyped(order.format) ? groups : lines);
    // An explicit number of threads is used, however little work there is.
    if (most !== undefined) await threads.pool?.ready();
    const maker = new PieceMaker(order);
    yield* spread(portions, threads.pool, (choices) => maker.make(choices));
  } finally {
    await threads.pool?.close();
  }
}

/** Started as soon as enough work is known, while the remaining episodes are still being selected. */
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
