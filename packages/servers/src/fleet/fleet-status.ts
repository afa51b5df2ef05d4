/** @file The status of the fleet: workers, runs, cost, expected end. Plain JSON, for the terminal and for pages. */

import type { Budget, WorkerRecord, WorkerSpending } from '@ludus-agents/kernel/internal/core/index';
import type { SharedStore } from '@ludus-agents/store/internal/open-store';

/** The state of the workers of a shared store: active workers, their jobs, and the queue. */
export interface FleetView {
  readonly workers: readonly SeenWorker[];
  readonly runs: readonly RunView[];
  readonly waiting: number;
  readonly leased: number;
  readonly dead: number;
  /** Versions of Ludus that waiting jobs need and no living worker has. */
  readonly unserved: readonly string[];
}

export interface SeenWorker extends WorkerRecord {
  /** Silent for longer than a running worker ever is. */
  readonly lost: boolean;
}

export interface RunView {
  readonly run: string;
  readonly waiting: number;
  readonly leased: number;
  readonly done: number;
  /** Jobs that are not tried again, and episodes that ended in an error. */
  readonly dead: number;
  readonly failed: number;
  readonly turns: number;
  /** Episodes finished in a second, over the last minute. */
  readonly perSecond: number;
  /** Seconds until nothing is left at that pace; null where nothing is left or nothing moves. */
  readonly eta: number | null;
  readonly spent: WorkerSpending;
  readonly stopped: keyof Budget | null;
}

/** A worker beats at least every five seconds. */
const longestSilence = 15_000;
/** Workers that left, or were lost, are shown for so long. */
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
