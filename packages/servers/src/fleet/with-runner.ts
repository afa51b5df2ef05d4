/** @file Opens a store together with a way to play plans into it: in this process, or by workers. */

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { markOwn } from '@ludus-agents/agents/internal/workspace/cast-run';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { changeText, type VersionChange } from '@ludus-agents/agents/internal/workspace/versions';
import { modelsInPlan, requirePrices } from '@ludus-agents/evaluation/internal/estimate';
import { openRunVersions } from '@ludus-agents/evaluation/internal/run-plan';
import type { Plan, Store } from '@ludus-agents/kernel/internal/core/index';
import { runId } from '@ludus-agents/kernel/internal/engine/plan';
import { type RunOptions, type RunReport, run } from '@ludus-agents/kernel/internal/engine/run';
import { openSharedStore, type SharedStore } from '@ludus-agents/store/internal/open-store';
import { type StoreOptions, type WorkingFolder, whereOf, withWritableStore } from '@ludus-agents/store/internal/stores';
import { runByWorkers } from './run-by-workers.ts';
import { startWorkers, type WorkerPool } from './worker-pool.ts';

export type Runner = (plan: Plan, options: RunOptions) => Promise<RunReport>;

export interface RunnerOptions extends StoreOptions {
  /** Workers to start; 0 leaves everything to workers that run elsewhere; without it plans are played here. */
  readonly workers?: number;
  /** Use stored episodes of what cannot be fingerprinted. */
  readonly reuse?: boolean;
  /** Told what has changed since a run was last played, in a sentence, where the caller does not look after versions itself. */
  readonly notice?: (sentence: string) => void;
}

export function withRunner<T>(
  place: WorkingFolder & { readonly trust: Trust },
  options: RunnerOptions,
  use: (store: Store, perform: Runner) => Promise<T>,
): Promise<T> {
  const { workers, reuse } = options;
  // What is run here was named by the user, so its agents may be asked again by themselves, and its rules read again.
  const mark = (plan: Plan) =>
    markOwn(place, runId(plan), [
      ...plan.environments.map(({ environment }) => environment),
      ...plan.casts.flatMap((cast) => Object.values(cast)),
    ]);
  /** Plays a plan with its versions, and says what has changed before and meanwhile. */
  const versioned = async (
    plan: Plan,
    { store, environment, versions }: RunOptions,
    play: (of: RunOptions['versions']) => Promise<RunReport>,
  ): Promise<RunReport> => {
    if (versions !== undefined) return play(versions);
    const opened = await openRunVersions(plan, { store, environment, cwd: place.cwd, trust: place.trust, reuse });
    const notice = (changes: readonly VersionChange[]) => {
      for (const change of changes) options.notice?.(changeText(change, runId(plan)));
    };
    notice(opened.changes);
    const report = await play(opened.of);
    if (report.played > 0) notice(await opened.settle());
    return report;
  };
  if (workers === undefined) {
    const perform: Runner = async (plan, running) => {
      await requirePrices(modelsInPlan(plan), running.budget?.money, place.env);
      mark(plan);
      return versioned(plan, running, (versions) => run(plan, { ...running, reuse, versions }));
    };
    return withWritableStore(place, options, (store) => use(store, perform));
  }
  return withSharedStore(place, options, (sharedStore, where) =>
    withWorkerPool({ where, cwd: place.cwd, workers }, (startPool) => {
      // This many at once is said of all workers together: where each took that many, the first ones would leave nothing to the others.
      const perform: Runner = async (plan, running) => {
        const { environment, concurrency = 64, budget, signal, retry, onProgress } = running;
        await requirePrices(modelsInPlan(plan), budget?.money, place.env);
        mark(plan);
        return versioned(plan, running, (versions) =>
          runByWorkers(plan, {
            ...{ sharedStore, environment, budget, signal, retry, onProgress, reuse, versions },
            pool: workers === 0 ? null : () => startPool(Math.ceil(concurrency / workers)),
          }),
        );
      };
      return use(sharedStore.store, perform);
    }),
  );
}

/** A worker pool that is started when it is first needed, once for all: a thread takes a moment to begin. It is dismissed after `use`. */
export async function withWorkerPool<T>(
  { where, cwd, workers }: { readonly where: string; readonly cwd: string; readonly workers: number },
  use: (startPool: (concurrency?: number) => WorkerPool) => Promise<T>,
): Promise<T> {
  let pool: WorkerPool | null = null;
  const startPool = (concurrency = 16) => {
    pool ??= startWorkers(workers, { where, cwd, concurrency });
    return pool;
  };
  try {
    return await use(startPool);
  } finally {
    await (pool as WorkerPool | null)?.dismiss();
  }
}

/** Opens the shared store that is meant, and closes it after `use`. */
export async function withSharedStore<T>(
  place: WorkingFolder,
  options: StoreOptions,
  use: (sharedStore: SharedStore, where: string) => Promise<T>,
): Promise<T> {
  const where = whereOf(place, options);
  if (!where.includes('://') && where !== 'memory:') mkdirSync(dirname(where), { recursive: true });
  const sharedStore = await openSharedStore(where);
  try {
    return await use(sharedStore, where);
  } finally {
    await sharedStore.close();
  }
}
