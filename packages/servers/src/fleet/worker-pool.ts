/** @file Workers in threads of this process, started by `--workers N`. They share only the store, like workers on other machines. */

import { Worker as Thread } from 'node:worker_threads';
import { callsAtOnce } from '@ludus-agents/agents/internal/models/index';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { threadFlags } from '@ludus-agents/kernel/internal/core/thread-flags';
import type { SharedPace } from './metered-models.ts';

/**
 * The rate limits set by environment variables. A single process enforces them alone; workers enforce them together, through the store.
 */
export function paceIn(env: Readonly<Record<string, string | undefined>>): SharedPace {
  const read = (name: string) => {
    const text = env[name] ?? '';
    if (text === '') return undefined;
    if (!/^[1-9]\d*$/.test(text)) throw new Fault('input', `${name} must be a positive integer, but is "${text}".`);
    return Number(text);
  };
  return {
    calls: read('LUDUS_CALLS_PER_MINUTE'),
    tokens: read('LUDUS_TOKENS_PER_MINUTE'),
    atOnce: read('LUDUS_CALLS_AT_ONCE') ?? callsAtOnce,
  };
}

/** The startup data of a thread; plain data. */
export interface ThreadOptions {
  readonly where: string;
  readonly cwd: string;
  readonly concurrency: number;
  readonly lease?: number;
}

export interface WorkerPool {
  /** Rejects when a thread dies for a reason other than a job's fault. */
  readonly died: Promise<never>;
  /** Cancels all jobs, returns them, and ends the threads. */
  dismiss(): Promise<void>;
}

/** Starts workers in threads of this process, on the store at an address. */
export function startWorkers(workers: number, options: ThreadOptions): WorkerPool {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const entry = new URL(`./worker-thread.${extension}`, import.meta.url);
  const threads = Array.from({ length: workers }, () => new Thread(entry, { workerData: options, execArgv: threadFlags }));
  const { promise: died, reject } = Promise.withResolvers<never>();
  died.catch(() => {});
  const left = threads.map(
    (thread) =>
      new Promise<void>((resolve) => {
        thread.on('error', (thrown) => reject(new Fault('agent', `A worker has died: ${thrown.message}`, { cause: thrown })));
        thread.on('exit', () => resolve());
      }),
  );
  return {
    died,
    async dismiss() {
      for (const thread of threads) thread.postMessage('stop');
      await Promise.all(left);
    },
  };
}
