/** @file Runs a plan on workers: enqueues it, waits, and returns the same report as a run in one process. No episode is played here. */

import type { AnyEnvironment, Budget, EndReason, Plan, QueueStatus, WorkerSpending } from '@ludus-agents/kernel/internal/core/index';
import { currentBudget, Fault } from '@ludus-agents/kernel/internal/core/index';
import type { VersionsOf } from '@ludus-agents/kernel/internal/engine/plan';
import type { RunProgress, RunReport } from '@ludus-agents/kernel/internal/engine/run';
import type { SharedStore } from '@ludus-agents/store/internal/open-store';
import { enqueuePlan, type Offered } from './enqueue-plan.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface FleetRunOptions {
  readonly sharedStore: SharedStore;
  readonly environment: (name: string) => Promise<AnyEnvironment>;
  /** Called when there is something to play; null relies on workers that run elsewhere. */
  readonly pool: (() => WorkerPool) | null;
  readonly budget?: Budget | undefined;
  readonly retry?: boolean | undefined;
  /** Fingerprints of the players; see `RunOptions`. */
  readonly versions?: VersionsOf | undefined;
  readonly reuse?: boolean | undefined;
  readonly priority?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
}

/** Runs a plan by the workers of a shared store, and waits for its end. */
export async function runByWorkers(plan: Plan, options: FleetRunOptions): Promise<RunReport> {
  const offered = await enqueuePlan(plan, options);
  const watch = new Watch(offered, options);
  await watch.begin();
  if (offered.offered === 0) return watch.report();
  await watch.follow(options.pool?.() ?? null);
  return watch.report();
}

class Watch {
  readonly #offered: Offered;
  readonly #options: FleetRunOptions;
  #before: QueueStatus = { waiting: 0, leased: 0, done: 0, dead: 0, outcomes: {}, turns: 0 };
  #standing: QueueStatus = this.#before;
  #paid: WorkerSpending = { calls: 0, tokens: 0, money: 0, unpriced: 0 };
  #spent: WorkerSpending = this.#paid;
  #stopped: RunReport['stopped'] = null;
  #why: string | undefined;

  constructor(offered: Offered, options: FleetRunOptions) {
    this.#offered = offered;
    this.#options = options;
    if (offered.left > 0) this.#stopped = 'episodes';
  }

  async begin(): Promise<void> {
    const { jobs, ledger } = this.#options.sharedStore;
    this.#before = await jobs.standing(this.#offered.run);
    this.#standing = this.#before;
    this.#paid = (await ledger.account(this.#offered.run)).spent;
    this.#spent = this.#paid;
  }

  /** Polls until everything is done, dead, or stopped. */
  async follow(pool: WorkerPool | null): Promise<void> {
    const { signal = new AbortController().signal, onProgress } = this.#options;
    const { jobs } = this.#options.sharedStore;
    for (;;) {
      await this.#look();
      onProgress?.(this.#progress());
      const { waiting, leased } = this.#standing;
      if (signal.aborted) {
        this.#stopped = 'signal';
        await jobs.callOff(this.#offered.run);
        return;
      }
      const halted = this.#stopped !== null && this.#stopped !== 'episodes';
      if (leased === 0 && (waiting === 0 || halted)) return;
      const pause = jobs.wait(200, signal);
      await (pool === null ? pause : Promise.race([pause, pool.died]));
    }
  }

  async report(): Promise<RunReport> {
    await this.#look();
    const { dead } = this.#standing;
    if (dead > this.#before.dead) {
      const [first] = await this.#options.sharedStore.jobs.dead(this.#offered.run);
      throw new Fault(
        'agent',
        `${dead - this.#before.dead} episodes could not be played. The first reason: ${first?.reason} Run "ludus fleet status --dead" to see all.`,
      );
    }
    const progress = this.#progress();
    currentBudget()?.include?.(progress.spent);
    return { ...progress, stopped: this.#stopped, ...(this.#why === undefined ? {} : { why: this.#why }) };
  }

  async #look(): Promise<void> {
    const { jobs, ledger } = this.#options.sharedStore;
    this.#standing = await jobs.standing(this.#offered.run);
    const { spent, stopped, why } = await ledger.account(this.#offered.run);
    this.#spent = spent;
    this.#why = why;
    this.#stopped ??= stopped;
  }

  #progress(): RunProgress {
    const { run, planned, before } = this.#offered;
    const now = this.#standing;
    const countEnded = (reason: EndReason) => (now.outcomes[reason] ?? 0) - (this.#before.outcomes[reason] ?? 0);
    const less = (what: keyof WorkerSpending) => this.#spent[what] - this.#paid[what];
    return {
      ...{ run, planned, before, played: now.done - this.#before.done, running: now.leased, turns: now.turns - this.#before.turns },
      ends: { over: countEnded('over'), limit: countEnded('limit'), error: countEnded('error'), abort: countEnded('abort') },
      spent: { calls: less('calls'), tokens: less('tokens'), money: less('money'), unpriced: less('unpriced') },
    };
  }
}
