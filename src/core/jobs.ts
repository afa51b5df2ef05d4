/**
 * @file Jobs wait in a store until a worker takes them under a lease; ledgers are what all workers together have spent and may spend.
 *
 * Times are those of the database, in milliseconds: the clock of a worker decides nothing. Everything here may be said twice: a worker that
 * did not hear the answer says it again, and nothing is done or counted twice.
 */

import type { Json } from './json.ts';
import type { Budget, Cast, Limits } from './plan.ts';

/** What many jobs have in common: one scene of a plan. It holds names and texts, and never a key. */
export interface Lot {
  readonly id: string;
  readonly run: string;
  /** The world by the name it is loaded under, and the id it must then have. */
  readonly world: string;
  readonly environment: string;
  readonly task: Json;
  readonly casts: readonly Cast[];
  readonly limits?: Limits;
  /** Names of the models that its casts call. */
  readonly models: readonly string[];
  /** The version of Ludus that made it; another one might play it differently. */
  readonly version: string;
  /** What a job of another kind than an episode needs to know. */
  readonly work?: Json;
}

export interface NewJob {
  /** The id of its episode, for jobs that play one. */
  readonly id: string;
  readonly kind: string;
  readonly payload: Json;
  /** Jobs of one group are taken together by one worker, if they wait together. */
  readonly group?: string;
  /** Higher ones first; 0 unless told. */
  readonly priority?: number;
}

/** A job in somebody's hands. The token says whose: who has lost the lease cannot finish the job any more. */
export interface Lease {
  readonly id: string;
  readonly lot: string;
  readonly run: string;
  readonly kind: string;
  readonly payload: Json;
  /** How often it was taken, this time included. */
  readonly attempt: number;
  /** True when nobody has had it before. */
  readonly fresh: boolean;
  readonly token: string;
}

export interface JobResult {
  /** How it ended, in a word: an end reason for an episode. */
  readonly outcome: string;
  readonly turns: number;
}

/** What a worker says of itself. */
export type WorkerNote = {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly concurrency: number;
  readonly worlds: readonly string[] | null;
  readonly models: readonly string[] | null;
  readonly state: 'working' | 'draining' | 'gone';
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
};

export interface WorkerRecord extends WorkerNote {
  readonly started: number;
  readonly seen: number;
  /** Milliseconds since it was last heard of, by the clock of the database. */
  readonly silent: number;
}

/** Jobs of a run by how they stand. */
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

/** Which jobs are wanted, for `lease` milliseconds: at most `limit` besides the mates of their groups; of one version and some lots, if that is said. */
export interface Claim {
  readonly worker: string;
  readonly limit: number;
  readonly lease: number;
  readonly version?: string | undefined;
  readonly lots?: readonly string[] | undefined;
  /** Milliseconds for which whoever failed at a job leaves it to others. */
  readonly headStart?: number | undefined;
}

export interface JobQueue {
  /** Adds a lot and jobs of it. A job that is there already stays as it is, but one that is dead, or was called off, waits again. Gives how many wait now that did not. */
  offer(lot: Lot, jobs: readonly NewJob[]): Promise<number>;
  lots(run?: string): Promise<readonly Lot[]>;
  /** Takes waiting jobs. */
  claim(wanted: Claim): Promise<readonly Lease[]>;
  /** Says that a worker lives and goes on with its jobs; gives those it has lost, and the runs that are to be stopped. */
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
  /** Resolves when something may have changed, or after so many milliseconds. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Hears of runs that were stopped, until the returned function is called. */
  onStop(hear: (run: string) => void): () => void;
}

export interface RunOverview extends Omit<QueueStatus, 'outcomes'> {
  readonly run: string;
  readonly failed: number;
  readonly lastMinute: number;
  /** Waiting jobs of lots by the version they need. */
  readonly versions: readonly string[];
}

export interface WorkerSpending {
  readonly calls: number;
  readonly tokens: number;
  readonly money: number;
  readonly unpriced: number;
}

export interface Account {
  readonly spent: WorkerSpending;
  /** Which part of the budget is spent: as many tokens, as much money as it has; a call more than it has; or failures. */
  readonly stopped: keyof Budget | null;
  /** Calls that were asked for beyond the budget. */
  readonly over: number;
  /** Whether there is a budget at all. */
  readonly bounded: boolean;
  /** What may be spent in all; empty where nothing was said. */
  readonly budget: Budget;
  /** The sentence that came with the stop. */
  readonly why?: string;
}

/** How many calls may begin. */
export interface CallGrant extends Account {
  readonly granted: number;
  /** Whether the next one may fit once calls under way are settled. */
  readonly wait: boolean;
}

/** What one worker has spent, and what it holds for calls under way. */
export interface BudgetStatement {
  readonly spent: WorkerSpending;
  readonly held: WorkerSpending;
}

export interface SharedBudget {
  /** Opens a run's purse, or fills it again: from now on so much may be spent. */
  open(run: string, budget: Budget): Promise<void>;
  /** What one worker has spent in all on a run; gives what all have. The first to see a budget spent stops everybody. */
  spend(run: string, worker: string, total: WorkerSpending, held?: WorkerSpending): Promise<Account>;
  /**
   * Reserves the most that calls may use before they begin: as many of them, from the first, as fit beside what all workers have spent and
   * hold. What a worker holds when it dies stays counted. One that never fits stops everybody.
   */
  reserve(run: string, worker: string, stated: BudgetStatement, wanted: readonly WorkerSpending[]): Promise<CallGrant>;
  /** Stops a run for everybody. */
  stop(run: string, part: keyof Budget, why: string): Promise<void>;
  account(run: string): Promise<Account>;
  /** Asks for `amount` of what a place gives in a minute; gives the milliseconds to wait before it may be used. */
  pace(place: string, perMinute: number, amount: number): Promise<number>;
}
