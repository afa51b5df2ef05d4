/**
 * @file A thread that takes commits over from the write-ahead log of a SQLite file into the file itself, while the thread that commits goes on:
 * else SQLite does so in one of the next commits, which takes a tenth of a long import, and waits for the disk twice more.
 */

import { Worker } from 'node:worker_threads';
import { threadFlags } from '@ludus-agents/kernel/internal/core/thread-flags';

export class Checkpoints {
  readonly #worker: Worker;
  #isIdle = false;

  constructor(file: string) {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    this.#worker = new Worker(new URL(`./checkpoint-thread.${extension}`, import.meta.url), { workerData: file, execArgv: threadFlags });
    this.#worker.on('message', () => {
      this.#isIdle = true;
    });
    // It is never asked again then, and SQLite does all of it, as it does where this thread is too slow.
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
