/**
 * @file The interface of a job queue: jobs wait in a store until a worker leases them. Ledgers count the spending and the remaining budget
 * of all workers together.
 *
 * Times are those of the database, in milliseconds; workers' clocks are never used. Every call may be repeated: a worker without a reply
 * calls again, and nothing is done or counted twice.
 */

import type { Json } from './json.ts';
import type { Budget, Cast, Limits } from './plan.ts';
import type { EpisodeVersions } from './store.ts';

/** The common data of many jobs: one scene of a plan. It contains names and texts, and never a key. */
export type Lot = {
  readonly id: string;
  readonly run: string;
  /** The name from which the environment is loaded, and the id it must then have. */
  readonly environmentName: string;
  readonly environment: string;
  readonly task: Json;
  readonly casts: readonly Cast[];
  /** Fingerprints of the agents to play, one for each cast; a worker whose files differ rejects the job. */
  readonly versions?: readonly EpisodeVersions[];
  readonly limits?: Limits;
  /** Names of the models that its casts call. */
  readonly models: readonly string[];
  /** The version of Ludus that created it; another one might play it differently. */
  readonly version: string;
  /** Input of a job that is not an episode. */
  readonly work?: Json;
};

export interface NewJob {
  /** The id of its episode, for jobs that play one. */
  readonly id: string;
  readonly kind: string;
  readonly payload: Json;
  /** Jobs of one group are claimed together by one worker, if they wait together. */
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
  /** The number of claims, including this one. */
  readonly attempt: number;
  /** True if no worker has claimed it before. */
  readonly fresh: boolean;
  readonly token: string;
}

export interface JobResult {
  /** Its result in a word: an end reason for an episode. */
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
  /** The most additional jobs if few are left: only a part of them, so that the last jobs are distributed over all workers. */
  readonly spare?: number | undefined;
  readonly lease: number;
  readonly version?: string | undefined;
  readonly lots?: readonly string[] | undefined;
  /** Milliseconds during which a worker that failed at a job leaves it to others. */
  readonly headStart?: number | undefined;
}

export interface JobQueue {
  /**
   * Adds a lot and its jobs. An existing job is unchanged, but a dead or canceled one waits again. Returns the number of newly waiting
   * jobs.
   */
  offer(lot: Lot, jobs: readonly NewJob[]): Promise<number>;
  lots(run?: string): Promise<readonly Lot[]>;
  /** Claims waiting jobs. */
  claim(wanted: Claim): Promise<readonly Lease[]>;
  /** Renews a worker's leases; returns the leases it has lost and the runs that must stop. */
  beat(
    worker: WorkerNote,
    leases: readonly Lease[],
    lease: number,
  ): Promise<{ readonly lost: readonly string[]; readonly stopped: readonly string[] }>;
  /** True if the worker still held the lease, or has already finished the job. */
  finish(lease: Lease, outcome: JobResult): Promise<boolean>;
  /** Returns jobs as if they had not been claimed. */
  giveBack(leases: readonly Lease[]): Promise<void>;
  /**
   * Reports a failure outside the episode: the job is retried after `wait` milliseconds, or is dead after too many failures or if `wait` is
   * null.
   */
  fail(lease: Lease, reason: string, wait: number | null): Promise<'waiting' | 'dead' | 'lost'>;
  /** Cancels the waiting jobs of a run. */
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
  /** The part of the budget that is spent: tokens or money at their limit, a call beyond the limit, or failures. */
  readonly stopped: keyof Budget | null;
  /** Calls requested beyond the budget. */
  readonly over: number;
  /** Whether there is a budget. */
  readonly bounded: boolean;
  /** The total limits; empty if there are none. */
  readonly budget: Budget;
  /** The reason for the stop, as a sentence. */
  readonly why?: string;
  /** The worker's row was closed: its updates are ignored from now on, and it continues under another name. */
  readonly closed?: true;
}

/** How many calls may begin. */
export interface CallGrant extends Account {
  readonly granted: number;
  /** Whether the next call may fit after running calls are settled. */
  readonly wait: boolean;
}

/** The spending of one worker, and its reservations for running calls. */
export interface BudgetStatement {
  /** Numbers the statements of one worker about one run. The ledger ignores a statement that arrives after a later one. */
  readonly revision: number;
  readonly spent: WorkerSpending;
  readonly held: WorkerSpending;
}

export interface SharedBudget {
  /**
   * Opens the budget of a run, or replaces its limits. Earlier spending does not count toward the new limits, but reservations of running
   * workers do. Reservations of silent workers count as spent, and their rows are closed.
   */
  open(run: string, budget: Budget): Promise<void>;
  /**
   * Replaces one worker's spending and reservations; returns the sum of all workers. The first call that finds the budget spent stops the
   * run.
   */
  spend(run: string, worker: string, statement: BudgetStatement): Promise<Account>;
  /**
   * Reserves the maximum of calls before they begin: as many, in order, as fit together with the spending and reservations of all workers.
   * Reservations of a dead worker stay counted. A call that can never fit stops the run for all.
   */
  reserve(run: string, worker: string, statement: BudgetStatement, wanted: readonly WorkerSpending[]): Promise<CallGrant>;
  /** Stops a run for all workers. */
  stop(run: string, part: keyof Budget, why: string): Promise<void>;
  account(run: string): Promise<Account>;
  /** Requests `amount` from a place's rate limit per minute; returns the milliseconds to wait before it may be used. */
  pace(place: string, perMinute: number, amount: number): Promise<number>;
}
