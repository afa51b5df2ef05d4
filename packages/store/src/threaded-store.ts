/**
 * @file A store that commits in its own thread, so that SQL and waiting for the disk do not block this one. It is for servers, whose
 * clients are always waiting.
 *
 * Appends are packed here at once, and reads use their own connection; only texts are passed between threads.
 */

import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault, type Store, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { threadFlags } from '@ludus-agents/kernel/internal/core/thread-flags';
import type { Write } from './log-rows.ts';
import type { Shared } from './pack.ts';
import { SqlStore } from './sql.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';
import { faultOf, type Plain } from './thread-fault.ts';

export interface File {
  readonly path: string;
  readonly options: SqliteOptions;
}

/** The writes for the thread to commit. */
export interface WriteBatch {
  readonly parts: readonly Shared[];
  readonly writes: readonly Write[];
}

/** The result of a batch: write by write why it was refused, or why nothing of it was stored. */
export type BatchResult = readonly (Plain | null)[] | Plain;

/** Opens a file, or makes it. The thread runs until the store is closed. */
export async function threadedStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const database = openSqlite(path, options);
  const writer = new StoreWriter({ path, options });
  const close = async () => {
    await writer.dismiss();
    await database.close();
  };
  return new SqlStore(
    { ...database, close },
    { delay: options.delay, file: resolve(path), write: (parts, writes) => writer.write({ parts, writes }) },
  );
}

/** The thread, seen from here. It takes batches one after the other, as the store hands them over. */
class StoreWriter {
  readonly #worker: Worker;
  readonly #gone: Promise<Fault>;
  #heard: (outcome: BatchResult) => void = () => {};

  constructor(file: File) {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    this.#worker = new Worker(new URL(`./commit-thread.${extension}`, import.meta.url), { workerData: file, execArgv: threadFlags });
    this.#worker.on('message', (outcome: BatchResult) => this.#heard(outcome));
    this.#gone = new Promise((resolve) => {
      this.#worker.on('error', (thrown) => resolve(new Fault('store', `The store's thread has failed: ${sentenceOf(thrown)}.`)));
      this.#worker.on('exit', () => resolve(new Fault('store', "The store's thread has ended.")));
    });
    this.#worker.unref();
  }

  async write(batch: WriteBatch): Promise<readonly (Fault | null)[]> {
    // As long as something is being written, the process does not end.
    this.#worker.ref();
    try {
      const message = new Promise<BatchResult>((resolve) => {
        this.#heard = resolve;
      });
      this.#worker.postMessage(batch);
      const outcome = await Promise.race([message, this.#gone]);
      if ('message' in outcome) throw faultOf(outcome);
      return outcome.map((refusal) => (refusal === null ? null : faultOf(refusal)));
    } finally {
      this.#worker.unref();
    }
  }

  async dismiss(): Promise<void> {
    // The process does not end before the file is closed.
    this.#worker.ref();
    this.#worker.postMessage(null);
    await this.#gone;
  }
}
