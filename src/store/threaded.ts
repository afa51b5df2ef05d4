/**
 * @file A store in a thread of its own: what is packed, written and waited for there holds up nobody here. For servers, where somebody always
 * waits for an answer, and a commit would come between.
 *
 * What is handed over is copied at once, so a log cannot be changed after it was appended.
 */

import { Worker } from 'node:worker_threads';
import { type Boundary, Fault, type Store, sentenceOf } from '../core/index.ts';
import { closedFault, watched } from './log.ts';
import type { SqliteOptions } from './sqlite.ts';

export interface File {
  readonly path: string;
  readonly options: SqliteOptions;
}

/** A call of the store, and what became of it. */
export interface Ask {
  readonly id: number;
  readonly method: keyof Store;
  readonly args: readonly unknown[];
}

export type Told =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly boundary: Boundary; readonly message: string };

/** The id of the word that the store is open, or cannot be. */
export const opening = 0;

const methods: Readonly<Record<keyof Store, true>> = {
  putRun: true,
  run: true,
  runs: true,
  putSpec: true,
  spec: true,
  specs: true,
  append: true,
  events: true,
  episode: true,
  episodes: true,
  tally: true,
  find: true,
  statuses: true,
  putScores: true,
  scores: true,
  note: true,
  notes: true,
  journals: true,
  close: true,
};

/** Opens a file, or makes it, in a thread that lives until the store is closed. */
export async function threadedStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const thread = new Thread({ path, options });
  await thread.opened;
  const calls = Object.keys(methods).map((method) => [method, (...args: unknown[]) => thread.ask(method as keyof Store, args)]);
  return { ...Object.fromEntries(calls), close: () => thread.close() } as Store;
}

class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #next = opening;
  #gone: Fault | null = null;
  #closing: Promise<void> | undefined;
  readonly opened: Promise<unknown>;

  constructor(file: File) {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    this.#worker = new Worker(new URL(`./thread.${extension}`, import.meta.url), { workerData: file, execArgv: [] });
    this.#worker.on('message', (told: readonly Told[]) => {
      for (const one of told) this.#hear(one);
    });
    this.#worker.on('error', (thrown) => this.#leave(new Fault('store', `The store's thread has failed: ${sentenceOf(thrown)}.`)));
    this.#worker.on('exit', () => this.#leave(closedFault()));
    this.opened = this.#wait();
  }

  ask(method: keyof Store, args: readonly unknown[]): Promise<unknown> {
    return watched(this.#ask({ id: this.#next, method, args }));
  }

  async #ask(ask: Ask): Promise<unknown> {
    if (this.#gone !== null) throw this.#gone;
    try {
      this.#worker.postMessage(ask);
    } catch (thrown) {
      throw new Fault('input', `Expected plain JSON for "${ask.method}" of a store, but ${sentenceOf(thrown)}`, { cause: thrown });
    }
    return this.#wait();
  }

  close(): Promise<void> {
    this.#closing ??= this.ask('close', []).then(async () => void (await this.#worker.terminate()));
    return this.#closing;
  }

  /** As long as somebody waits for the thread, the process does not end. */
  #wait(): Promise<unknown> {
    if (this.#waiting.size === 0) this.#worker.ref();
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#next++, waiting);
    return waiting.promise;
  }

  #hear(told: Told): void {
    const waiting = this.#waiting.get(told.id);
    this.#waiting.delete(told.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('message' in told) waiting?.reject(new Fault(told.boundary, told.message));
    else waiting?.resolve(told.value);
  }

  #leave(why: Fault): void {
    this.#gone ??= why;
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }
}
