/** @file The beginning of a store's own thread; threaded.ts starts it. */

import { setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Fault, type Store, sentenceOf } from '../core/index.ts';
import { sqliteStore } from './sqlite.ts';
import { type Ask, type File, opening, type Told } from './threaded.ts';

// Whoever answers goes first where there are more threads than processors. On Linux this is about this thread; elsewhere it would be about all.
if (process.platform === 'linux') setPriority(10);

const port = parentPort as MessagePort;

/** What became of calls, told together: one commit decides many. */
let told: Told[] = [];

function tell(one: Told): void {
  if (told.length === 0)
    queueMicrotask(() => {
      port.postMessage(told);
      told = [];
    });
  told.push(one);
}

function failed(id: number, thrown: unknown): void {
  tell({ id, boundary: thrown instanceof Fault ? thrown.boundary : 'store', message: sentenceOf(thrown) });
}

function answer(store: Store, { id, method, args }: Ask): void {
  // Called in the order they were asked in: an append relies on the one before.
  const promise = (store[method] as (...args: readonly unknown[]) => Promise<unknown>).apply(store, args as unknown[]);
  promise.then(
    (value) => tell({ id, value }),
    (thrown: unknown) => failed(id, thrown),
  );
}

try {
  const { path, options } = workerData as File;
  const store = await sqliteStore(path, options);
  tell({ id: opening, value: undefined });
  port.on('message', (ask: Ask) => answer(store, ask));
} catch (thrown) {
  failed(opening, thrown);
}
