/** @file The status of the fleet: workers, runs, cost, expected end. Plain JSON, for terminals and pages. */

import type { Budget, WorkerRecord, WorkerSpending } from '@ludus-agents/kernel/internal/core/index';
import type { SharedStore } from '@ludus-agents/store/internal/open-store';

/** The state of the workers of a shared store: active workers, their jobs, and the queue. */
export interface FleetView {
  readonly workers: readonly SeenWorker[];
  readonly runs: readonly RunView[];
  readonly waiting: number;
  readonly leased: number;
  readonly dead: number;
  /** Versions of Ludus that queued jobs need and no active worker has. */
  readonly unserved: readonly string[];
}

export interface SeenWorker extends WorkerRecord {
  /** Silent for longer than any running worker. */
  readonly lost: boolean;
}

export interface RunView {
  readonly run: string;
  readonly waiting: number;
  readonly leased: number;
  readonly done: number;
  /** Jobs that are not retried, and episodes that ended in an error. */
  readonly dead: number;
  readonly failed: number;
  readonly turns: number;
  /** Episodes finished per second, over the last minute. */
  readonly perSecond: number;
  /** Estimated seconds until the queue is empty; null if it is empty or makes no progress. */
  readonly eta: number | null;
  readonly spent: WorkerSpending;
  readonly stopped: keyof Budget | null;
}

/** A worker sends a heartbeat at least every five seconds. */
const longestSilence = 15_000;
/** How long workers that left, or were lost, are shown. */
const remembered = 3_600_000;

/** Reads the active workers, their jobs, and the queue of a shared store. */
export async function fleetView({ jobs, ledger }: SharedStore): Promise<FleetView> {
  const all = (await jobs.workers()).filter(({ silent }) => silent < remembered);
  const workers = all.map((worker) => ({ ...worker, lost: worker.state !== 'gone' && worker.silent > longestSilence }));
  const living = new Set(workers.filter(({ state, lost }) => state === 'working' && !lost).map(({ version }) => version));
  const overview = await jobs.overview();
  const runs: RunView[] = [];
  for (const { run, waiting, leased, done, dead, failed, turns, lastMinute } of overview) {
    const { spent, stopped } = await ledger.account(run);
    const perSecond = lastMinute / 60;
    const left = waiting + leased;
    runs.push({
      run,
      waiting,
      leased,
      done,
      dead,
      failed,
      turns,
      perSecond,
      eta: left > 0 && perSecond > 0 ? left / perSecond : null,
      spent,
      stopped,
    });
  }
  const sum = (of: 'waiting' | 'leased' | 'dead') => overview.reduce((total, run) => total + run[of], 0);
  const needed = overview.filter(({ waiting }) => waiting > 0).flatMap(({ versions }) => versions);
  const unserved = [...new Set(needed)].filter((version) => !living.has(version));
  return { workers, runs, waiting: sum('waiting'), leased: sum('leased'), dead: sum('dead'), unserved };
}
