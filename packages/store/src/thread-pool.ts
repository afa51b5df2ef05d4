/**
 * @file Threads that make the pieces of one long task, each piece in one of them. Results come back in the order of the requests,
 * and only a few pieces are in progress at a time, so that memory does not grow with the work.
 *
 * A thread that fails ends the task with a message: nothing waits for it, and its results are not guessed.
 */

import { availableParallelism } from 'node:os';
import { type MessagePort, parentPort, type Transferable, Worker } from 'node:worker_threads';
import { Fault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { threadFlags } from '@ludus-agents/kernel/internal/core/thread-flags';
import { faultOf, type Plain, toPlain } from './thread-fault.ts';

/** How many threads a long work is spread over: more than these have nothing to do while one thread reads and writes the file. */
export function threadsAtHand(): number {
  return Math.min(availableParallelism(), mostThreads);
}

const mostThreads = 8;

/** To a thread: a task, with a number if it needs an answer. */
type Ask<Task> = { readonly id: number | null; readonly task: Task };
type Answer<Made> = { readonly id: number; readonly made: Made } | { readonly id: number; readonly fault: Plain };
/** From a thread: an answer, or a report that it is ready. */
type Said<Made> = Answer<Made> | 'ready';

interface Thread<Made> {
  readonly worker: Worker;
  readonly ready: PromiseWithResolvers<void>;
  isReady: boolean;
  readonly waiting: Map<number, PromiseWithResolvers<Made>>;
}

interface PoolOptions {
  /** The initial data of each thread. */
  readonly data: unknown;
  readonly threads: number;
  /** Tasks that a thread has at a time: more than one, so that it does not wait for this thread. */
  readonly ahead?: number;
}

export class ThreadPool<Task, Made> {
  readonly #ahead: number;
  readonly #threads: readonly Thread<Made>[];
  #asked = 0;
  #failure: Fault | null = null;

  /** `entry` names the file that answers, without its ending, next to the one at `from`. */
  constructor(entry: string, from: string, { data, threads, ahead = 2 }: PoolOptions) {
    this.#ahead = ahead;
    const url = new URL(`${entry}.${from.endsWith('.ts') ? 'ts' : 'js'}`, from);
    this.#threads = Array.from({ length: threads }, () => this.#begin(url, data));
  }

  get size(): number {
    return this.#threads.length;
  }

  get isReady(): boolean {
    return this.#threads.every((thread) => thread.isReady);
  }

  /** The number of tasks that could start soon. A thread that is still starting takes none, because others would wait for its results. */
  get room(): number {
    if (this.#failure !== null) throw this.#failure;
    return this.#threads.reduce((sum, thread) => sum + this.#roomOf(thread), 0);
  }

  /** Resolves when all threads are ready. */
  async ready(): Promise<void> {
    await Promise.all(this.#threads.map(({ ready }) => ready.promise));
  }

  /** A thread's result for a task; the least busy one gets it. `others` is the task that all other threads receive. */
  make(task: Task, others?: Task): Promise<Made> {
    const resolvers = Promise.withResolvers<Made>();
    // Someone asks for it later, or not at all where an earlier piece has failed.
    resolvers.promise.catch(() => {});
    if (this.#failure !== null) {
      resolvers.reject(this.#failure);
      return resolvers.promise;
    }
    const selectedThread = this.#threads.reduce((a, b) => (this.#roomOf(b) > this.#roomOf(a) ? b : a));
    const id = this.#asked++;
    selectedThread.waiting.set(id, resolvers);
    selectedThread.worker.postMessage({ id, task } satisfies Ask<Task>);
    if (others !== undefined)
      for (const thread of this.#threads)
        if (thread !== selectedThread) thread.worker.postMessage({ id: null, task: others } satisfies Ask<Task>);
    return resolvers.promise;
  }

  /** Tells all threads something, in its place among their tasks. */
  tell(task: Task): void {
    for (const { worker } of this.#threads) worker.postMessage({ id: null, task } satisfies Ask<Task>);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #begin(url: URL, data: unknown): Thread<Made> {
    const worker = new Worker(url, { workerData: data, execArgv: threadFlags });
    const waiting: Thread<Made>['waiting'] = new Map();
    const ready = Promise.withResolvers<void>();
    ready.promise.catch(() => {});
    const thread: Thread<Made> = { worker, waiting, ready, isReady: false };
    worker.on('message', (answer: Said<Made>) => {
      if (answer === 'ready') {
        thread.isReady = true;
        ready.resolve();
        return;
      }
      const resolvers = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('made' in answer) resolvers?.resolve(answer.made);
      else resolvers?.reject(faultOf(answer.fault));
    });
    const onLost = (why: string) => {
      this.#failure ??= new Fault('store', `A worker thread stopped: ${why}. Run the command again.`);
      ready.reject(this.#failure);
      for (const resolvers of waiting.values()) resolvers.reject(this.#failure);
      waiting.clear();
    };
    worker.on('error', (thrown) => onLost(sentenceOf(thrown).replace(/\.$/, '')));
    worker.on('exit', (code) => onLost(`it stopped with code ${code}`));
    return thread;
  }

  #roomOf({ isReady, waiting }: Thread<Made>): number {
    return isReady ? this.#ahead - waiting.size : 0;
  }
}

/** The thread's side: answers one task after the other in a thread of the pool. */
export function answerTasks<Task, Made>(
  make: (task: Task) => Promise<{ readonly made: Made; readonly moved?: readonly Transferable[] }>,
): void {
  const port = parentPort as MessagePort;
  let line: Promise<void> = Promise.resolve();
  port.on('message', ({ id, task }: Ask<Task>) => {
    line = line.then(async () => {
      try {
        const { made, moved = [] } = await make(task);
        if (id !== null) port.postMessage({ id, made } satisfies Answer<Made>, [...moved]);
      } catch (thrown) {
        if (id !== null) port.postMessage({ id, fault: toPlain(thrown, 'store') } satisfies Answer<Made>);
      }
    });
  });
  port.postMessage('ready' satisfies Said<Made>);
}

/**
 * The results for all items, in order: computed by the threads, and by this one while it would otherwise wait for them. Without threads,
 * this one computes all of them in sequence.
 */
export async function* spread<Item, Made>(
  items: Iterable<Item>,
  pool: ThreadPool<Item, Made> | null,
  make: (item: Item) => Promise<Made>,
): AsyncGenerator<Made, void, undefined> {
  const source = items[Symbol.iterator]();
  let next = source.next();
  const making: { readonly made: Promise<Made>; isDone: boolean }[] = [];
  const begin = (item: Promise<Made>): Promise<Made> => {
    const entry = { made: item, isDone: false };
    item.then(
      () => {
        entry.isDone = true;
      },
      () => {},
    );
    making.push(entry);
    next = source.next();
    return item;
  };
  const most = 3 * ((pool?.size ?? 0) + 1);
  while (next.done !== true || making.length > 0) {
    while (pool !== null && next.done !== true && making.length < most && pool.room > 0) begin(pool.make(next.value));
    const isWaiting = making[0]?.isDone !== true;
    if (isWaiting && next.done !== true && making.length < most) await begin(make(next.value));
    else yield await making.shift()!.made;
  }
}
