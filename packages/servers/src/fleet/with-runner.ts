/** @file Opens a store together with a runner for plans: in this process, or by workers. */

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
  /** The number of workers to start; 0 relies on workers that run elsewhere; if omitted, plans are played here. */
  readonly workers?: number;
  /** Use stored episodes of agents that cannot be fingerprinted. */
  readonly reuse?: boolean;
  /** Receives a message about changes since a run was last played, if the caller does not check versions itself. */
  readonly notice?: (sentence: string) => void;
}

export function withRunner<T>(
  place: WorkingFolder & { readonly trust: Trust },
  options: RunnerOptions,
  use: (store: Store, perform: Runner) => Promise<T>,
): Promise<T> {
  const { workers, reuse } = options;
  // The user named everything that runs here, so its agents may be called and its rules loaded again.
  const mark = (plan: Plan) =>
    markOwn(place, runId(plan), [
      ...plan.environments.map(({ environment }) => environment),
      ...plan.casts.flatMap((cast) => Object.values(cast)),
    ]);
  /** Plays a plan with its versions, and reports changes before and during the run. */
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
      // The concurrency applies to all workers together: if each took that many, the first ones would leave nothing to the others.
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

/** A worker pool that is started on first use, because starting threads takes a moment. It is closed after `use`. */
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

/** Opens the selected shared store, and closes it after `use`. */
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
