/**
 * @file The interface of a job queue: jobs wait in a store until a worker leases them. Ledgers count what all workers together have spent
 * and may spend.
 *
 * Times are those of the database, in milliseconds; a worker's clock decides nothing. Every call may be repeated: a worker that gets no
 * answer calls again, and nothing is done or counted twice.
 */

import type { Json } from './json.ts';
import type { Budget, Cast, Limits } from './plan.ts';
import type { EpisodeVersions } from './store.ts';

/** What many jobs have in common: one scene of a plan. It has names and texts, and never a key. */
export type Lot = {
  readonly id: string;
  readonly run: string;
  /** The environment by the name it is loaded under, and the id it must then have. */
  readonly environmentName: string;
  readonly environment: string;
  readonly task: Json;
  readonly casts: readonly Cast[];
  /** Fingerprints of the agents to play, one for each cast; a worker whose files differ rejects the job. */
  readonly versions?: readonly EpisodeVersions[];
  readonly limits?: Limits;
  /** Names of the models that its casts call. */
  readonly models: readonly string[];
  /** The version of Ludus that made it; another one might play it differently. */
  readonly version: string;
  /** Input of a job that is not an episode. */
  readonly work?: Json;
};

export interface NewJob {
  /** The id of its episode, for jobs that play one. */
  readonly id: string;
  readonly kind: string;
  readonly payload: Json;
  /** Jobs of one group are taken together by one worker, if they wait together. */
  readonly group?: string;
  /** Higher ones first; 0 by default. */
  readonly priority?: number;
}

/** A job that a worker has leased. The token identifies the lease: a worker that has lost it cannot finish the job. */
export interface Lease {
  readonly id: string;
  readonly lot: string;
  readonly run: string;
  readonly kind: string;
  readonly payload: Json;
  /** How often it was taken, this time included. */
  readonly attempt: number;
  /** True when no worker has had it before. */
  readonly fresh: boolean;
  readonly token: string;
}

export interface JobResult {
  /** How it ended, in a word: an end reason for an episode. */
  readonly outcome: string;
  readonly turns: number;
}

/** What a worker reports about itself. */
export type WorkerNote = {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly concurrency: number;
  readonly environments: readonly string[] | null;
  readonly models: readonly string[] | null;
  readonly state: 'working' | 'draining' | 'gone';
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
};

export interface WorkerRecord extends WorkerNote {
  readonly started: number;
  readonly seen: number;
  /** Milliseconds since its last report, by the clock of the database. */
  readonly silent: number;
}

/** Jobs of a run, counted by status. */
export interface QueueStatus {
  readonly waiting: number;
  readonly leased: number;
  readonly done: number;
  readonly dead: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly turns: number;
}

export interface DeadJob {
  readonly id: string;
  readonly run: string;
  readonly attempts: number;
  readonly reason: string;
}

/**
 * Which jobs are wanted, for `lease` milliseconds: at most `limit` besides the mates of their groups; of one version and some lots, if
 * those are given.
 */
export interface Claim {
  readonly worker: string;
  readonly limit: number;
  /** This many more, where few are left: a part of them, so that the last jobs begin everywhere and not one after the other. */
  readonly spare?: number | undefined;
  readonly lease: number;
  readonly version?: string | undefined;
  readonly lots?: readonly string[] | undefined;
  /** Milliseconds for which a worker that failed at a job leaves it to others. */
  readonly headStart?: number | undefined;
}

export interface JobQueue {
  /** Adds a lot and jobs of it. A job that is there already stays as it is, but one that is dead, or was called off, waits again. Gives how many wait now that did not. */
  offer(lot: Lot, jobs: readonly NewJob[]): Promise<number>;
  lots(run?: string): Promise<readonly Lot[]>;
  /** Takes waiting jobs. */
  claim(wanted: Claim): Promise<readonly Lease[]>;
  /** Renews a worker's leases; returns the leases it has lost and the runs that are to stop. */
  beat(
    worker: WorkerNote,
    leases: readonly Lease[],
    lease: number,
  ): Promise<{ readonly lost: readonly string[]; readonly stopped: readonly string[] }>;
  /** True when the job was still ours, or is done by us already. */
  finish(lease: Lease, outcome: JobResult): Promise<boolean>;
  /** Hands jobs back as if they had not been taken. */
  giveBack(leases: readonly Lease[]): Promise<void>;
  /** Something went wrong that is not the episode's own: tried again after `wait` milliseconds, or dead when that was enough or `wait` is null. */
  fail(lease: Lease, reason: string, wait: number | null): Promise<'waiting' | 'dead' | 'lost'>;
  /** Calls off what waits of a run. */
  callOff(run: string): Promise<number>;
  standing(run: string): Promise<QueueStatus>;
  dead(run?: string): Promise<readonly DeadJob[]>;
  workers(): Promise<readonly WorkerRecord[]>;
  /** Jobs by run, and how many were finished in the last minute. */
  overview(): Promise<readonly RunOverview[]>;
  /** Resolves when something may have changed, or after this many milliseconds. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Calls back for runs that are stopped, until the returned function is called. */
  onStop(hear: (run: string) => void): () => void;
}

export interface RunOverview extends Omit<QueueStatus, 'outcomes'> {
  readonly run: string;
  readonly failed: number;
  readonly lastMinute: number;
  /** Waiting jobs of lots by the version they need. */
  readonly versions: readonly string[];
}

export type WorkerSpending = {
  readonly calls: number;
  readonly tokens: number;
  readonly money: number;
  readonly unpriced: number;
};

export interface Account {
  readonly spent: WorkerSpending;
  /** Which part of the budget is spent: as many tokens, as much money as it has; a call more than it has; or failures. */
  readonly stopped: keyof Budget | null;
  /** Calls requested beyond the budget. */
  readonly over: number;
  /** Whether there is a budget at all. */
  readonly bounded: boolean;
  /** The limits in all; empty where there are none. */
  readonly budget: Budget;
  /** The sentence that came with the stop. */
  readonly why?: string;
  /** The worker's row was closed: its updates are ignored from now on, and it continues under another name. */
  readonly closed?: true;
}

/** How many calls may begin. */
export interface CallGrant extends Account {
  readonly granted: number;
  /** Whether the next one may fit once calls under way are settled. */
  readonly wait: boolean;
}

/** The spending of one worker, and its reservations for running calls. */
export interface BudgetStatement {
  /** Counts the statements of one worker about one run. The ledger ignores a statement that arrives after a later one. */
  readonly revision: number;
  readonly spent: WorkerSpending;
  readonly held: WorkerSpending;
}

export interface SharedBudget {
  /**
   * Opens the budget of a run, or replaces its limits. What was spent before does not count toward the new limits. What running workers have
   * reserved does. What silent workers have reserved counts as spent, and their rows are closed.
   */
  open(run: string, budget: Budget): Promise<void>;
  /** Replaces what one worker has spent and reserved; returns the sum of all workers. The first that sees the budget spent stops the run. */
  spend(run: string, worker: string, statement: BudgetStatement): Promise<Account>;
  /**
   * Reserves the most that calls may use before they begin: as many of them, from the first, as fit together with what all workers have
   * spent and reserved. What a worker has reserved when it dies stays counted. A call that can never fit stops the run for all.
   */
  reserve(run: string, worker: string, statement: BudgetStatement, wanted: readonly WorkerSpending[]): Promise<CallGrant>;
  /** Stops a run for all workers. */
  stop(run: string, part: keyof Budget, why: string): Promise<void>;
  account(run: string): Promise<Account>;
  /** Requests `amount` from a place's rate limit per minute; returns the milliseconds to wait before it may be used. */
  pace(place: string, perMinute: number, amount: number): Promise<number>;
}
