/**
 * @file The budget of a run within one worker. Every model call that the worker makes for the run (players, judges, proposers) is reserved
 * in the shared ledger before it starts. No call starts while the ledger is unreachable. Calls that start at the same time are reserved
 * together.
 *
 * A statement replaces the worker's sums in the ledger, so none is composed while a reservation is in progress: it would lack the
 * calls that the ledger has just granted. Statements are numbered, so a delayed one cannot undo a later one.
 */

import { parseModelName } from '@ludus-agents/agents/internal/models/kinds';
import { isFileModel } from '@ludus-agents/agents/internal/workspace/models';
import type {
  Account,
  Budget,
  CallBound,
  CallBudget,
  CallGrant,
  ModelCall,
  Reservation,
  SharedBudget,
  WorkerSpending,
} from '@ludus-agents/kernel/internal/core/index';
import { BudgetFault, brokenBound, Failures, pause, spentFault, unpricedFault, usageOf } from '@ludus-agents/kernel/internal/core/index';
import { excess, LedgerRow, none, type Sums, sumOf } from './ledger-row.ts';

/** The rate limit of a model server for all workers together, and the concurrent calls of each worker. */
export interface SharedPace {
  readonly calls?: number | undefined;
  readonly tokens?: number | undefined;
  readonly atOnce?: number;
}

export interface MeterOptions {
  readonly ledger: SharedBudget;
  readonly run: string;
  readonly worker: string;
  readonly pace: SharedPace;
  /** Called when the ledger reports that the budget is spent. */
  readonly stop: () => void;
  /** The wait function; real time, unless a test replaces it. */
  readonly pause?: typeof pause;
}

interface Waiting {
  readonly bound: CallBound;
  /** With the row that contains its reservation. */
  readonly admit: (tally: LedgerRow) => void;
  readonly refuse: (reason: unknown) => void;
}

const never = new AbortController().signal;

/** Milliseconds between checks whether calls of other workers have been settled. */
const patience = 250;
/** Milliseconds before an unresponsive ledger is retried. */
const retryDelay = 500;

export class Meter implements CallBudget {
  readonly #options: MeterOptions;
  readonly #failures = new Failures(() => this.#budget?.failures);
  #tally: LedgerRow;
  /** Rows that the ledger has closed. */
  readonly #closed: LedgerRow[] = [];
  /** Calls that wait for a reservation. */
  #waiting: Waiting[] = [];
  /** Calls whose reservation is in progress. */
  #underway: Promise<void> | null = null;
  /** A statement to the ledger that is in progress. */
  #stating: Promise<string> | null = null;
  #wake: () => void = () => {};
  /** The last answer of the ledger; null before the first. */
  #budget: Budget | null = null;

  constructor(options: MeterOptions) {
    this.#options = options;
    this.#tally = new LedgerRow(options.worker, none);
  }

  /** Running calls count with their upper bound. */
  get total(): WorkerSpending {
    return [...this.#closed, this.#tally].map(({ sums }) => sums).reduce(sumOf);
  }

  know(): void {}

  refuse(): void {
    this.#options.stop();
  }

  async isBounded(): Promise<boolean> {
    const { tokens, money } = this.#budget ?? (await this.#learn());
    return tokens !== undefined || money !== undefined;
  }

  async reserve(bound: CallBound, signal: AbortSignal): Promise<Reservation> {
    signal.throwIfAborted();
    await this.#paced(bound, signal);
    const budget = this.#budget ?? (await this.#learn());
    const failed = this.#failures.fault;
    if (failed !== null) throw this.#stopping(failed);
    const tally = Object.keys(budget).length === 0 ? this.#tally.hold(bound) : await this.#admitted(bound, signal);
    // A call that was admitted but is no longer wanted is not sent.
    if (signal.aborted) {
      this.#drop(tally, bound);
      throw signal.reason;
    }
    return {
      settle: (call) => this.#settle(tally, bound, call),
      fail: (thrown, cancelled) => this.#fail(tally, bound, thrown, cancelled),
      release: () => this.#drop(tally, bound),
    };
  }

  /** Reports spending that the ledger lacks; in any case checks whether the run must stop. */
  async report(): Promise<void> {
    const { ledger, run } = this.#options;
    const tally = this.#tally;
    // A reservation in progress reports the sums itself.
    const account = this.#underway === null && tally.isChanged ? await this.#state(tally) : await ledger.account(run);
    this.#budget = account.budget;
    if (account.stopped !== null && !(isSpent(account.stopped) && this.#isBusy)) this.#options.stop();
  }

  /** Whether calls of this worker are running. */
  get #isBusy(): boolean {
    return [...this.#closed, this.#tally].some(({ held }) => held.calls > 0);
  }

  /** Whether the ledger lacks any spending or reservation. */
  get isUnsaid(): boolean {
    return this.#tally.isChanged;
  }

  /** Waits until the ledger has all spending so far: it must be reported before a job is done. */
  async flush(): Promise<void> {
    for (let tries = 0; tries < 10 && (this.isUnsaid || this.#stating !== null); tries++) {
      if (this.#stating !== null) await this.#stating;
      else if (this.#underway !== null) await this.#underway;
      else await this.report();
    }
  }

  async #state(tally: LedgerRow): Promise<Account> {
    const statement = tally.state();
    const spending = this.#options.ledger.spend(this.#options.run, tally.name, statement);
    this.#stating = spending.then(String, String);
    try {
      const account = await spending;
      this.#confirm(tally, sumOf(statement.spent, statement.held), account);
      return account;
    } catch (thrown) {
      tally.isChanged = true;
      throw thrown;
    } finally {
      this.#stating = null;
    }
  }

  /** Continues in a new row if the ledger has closed this one, with the amounts that are not in the closed one. */
  #confirm(tally: LedgerRow, sums: Sums, { closed }: Account): void {
    if (closed !== true) {
      tally.confirmed = sums;
      return;
    }
    if (tally !== this.#tally) return;
    this.#closed.push(tally);
    this.#tally = new LedgerRow(`${this.#options.worker}+c${this.#closed.length}`, excess(tally.sums, tally.confirmed));
  }

  async #learn(): Promise<Budget> {
    for (;;) {
      try {
        const account = await this.#options.ledger.account(this.#options.run);
        this.#budget = account.budget;
        return account.budget;
      } catch {
        await this.#pause(retryDelay);
      }
    }
  }

  /** An unwanted call leaves the queue, unless its reservation is in progress. */
  #admitted(bound: CallBound, signal: AbortSignal): Promise<LedgerRow> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        const place = this.#waiting.indexOf(call);
        if (place < 0) return;
        this.#waiting.splice(place, 1);
        reject(signal.reason);
        this.#wake();
      };
      const call: Waiting = {
        bound,
        admit: (tally) => {
          signal.removeEventListener('abort', leave);
          resolve(tally.hold(bound));
        },
        refuse: (reason) => {
          signal.removeEventListener('abort', leave);
          reject(reason);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(call);
      this.#underway ??= this.#reserveWaiting();
    });
  }

  #stopping(fault: BudgetFault): BudgetFault {
    this.#options.stop();
    return fault;
  }

  async #reserveWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      const { grant, tally } = await this.#ask(batch.map(({ bound }) => spendingOf(bound)));
      for (const call of batch.splice(0, grant.granted)) call.admit(tally);
      this.#waiting.unshift(...batch);
      if (grant.stopped !== null) {
        // Running calls are paid for: their answers are used before everything stops.
        while (isSpent(grant.stopped) && this.#isBusy) await this.#change();
        const fault = this.#stopping(refusalOf(grant, batch[0]?.bound));
        for (const call of this.#waiting.splice(0)) call.refuse(fault);
      } else if (grant.wait && this.#waiting.length > 0) await this.#change();
    }
    this.#underway = null;
  }

  /** Retries until the ledger answers. */
  async #ask(wanted: readonly WorkerSpending[]): Promise<{ readonly grant: CallGrant; readonly tally: LedgerRow }> {
    for (;;) {
      const tally = this.#tally;
      const statement = tally.state();
      try {
        const grant = await this.#options.ledger.reserve(this.#options.run, tally.name, statement, wanted);
        this.#budget = grant.budget;
        this.#confirm(tally, wanted.slice(0, grant.granted).reduce(sumOf, sumOf(statement.spent, statement.held)), grant);
        if (grant.closed !== true) return { grant, tally };
      } catch {
        tally.isChanged = true;
        await this.#pause(retryDelay);
      }
    }
  }

  /** Resolves when a call of this worker is settled or no longer waits, or after enough time for another worker's call to be settled. */
  async #change(): Promise<void> {
    const over = new AbortController();
    await Promise.race([
      this.#pause(patience, over.signal).catch(() => {}),
      new Promise<void>((resolve) => {
        this.#wake = resolve;
      }),
    ]);
    over.abort();
  }

  #drop(tally: LedgerRow, bound: CallBound): void {
    tally.drop(bound);
    this.#wake();
  }

  #use(tally: LedgerRow, bound: CallBound, tokens: number, money: number | null): void {
    tally.use(tokens, money);
    this.#drop(tally, bound);
  }

  #settle(tally: LedgerRow, bound: CallBound, call: ModelCall): void {
    const used = usageOf(call, bound);
    this.#use(tally, bound, used.tokens, used.money);
    this.#failures.succeeded(bound.model);
    const broken = brokenBound(bound, used, this.#budget ?? {});
    if (broken !== null) this.#stopAll(broken);
  }

  #fail(tally: LedgerRow, bound: CallBound, thrown: unknown, cancelled: boolean): void {
    this.#use(tally, bound, bound.tokens, bound.isOpen === true ? null : bound.money);
    const fault = bound.isOpen === true ? null : this.#failures.failed(bound.model, thrown, cancelled);
    if (fault !== null) this.#stopAll(fault);
  }

  /** Other workers would also find out by themselves, but at a cost. */
  #stopAll({ part, message }: BudgetFault): void {
    this.#options.ledger.stop(this.#options.run, part, message).catch(() => {});
    this.#options.stop();
  }

  #pause(milliseconds: number, signal: AbortSignal = never): Promise<void> {
    return (this.#options.pause ?? pause)(milliseconds, signal);
  }

  async #paced({ model, tokens }: CallBound, signal: AbortSignal): Promise<void> {
    const { ledger, pace } = this.#options;
    if (pace.calls === undefined && pace.tokens === undefined) return;
    const place = placeOf(model);
    const waits: number[] = [];
    if (pace.calls !== undefined) waits.push(await ledger.pace(`${place} calls`, pace.calls, 1));
    if (pace.tokens !== undefined) waits.push(await ledger.pace(`${place} tokens`, pace.tokens, tokens));
    const wait = Math.max(0, ...waits);
    if (wait > 0) await this.#pause(wait, signal);
  }
}

/** A limit exhausted by calls; other reasons, such as failures, stop immediately. */
function isSpent(stopped: string): boolean {
  return stopped === 'calls' || stopped === 'tokens' || stopped === 'money';
}

function spendingOf({ tokens, money }: CallBound): WorkerSpending {
  return { calls: 1, tokens, money: money ?? 0, unpriced: money === null ? 1 : 0 };
}

/** The reason why calls after the granted ones may not start. */
function refusalOf({ stopped, budget, why, spent }: CallGrant, next: CallBound | undefined): BudgetFault {
  if (why !== undefined) return new BudgetFault(stopped as keyof Budget, why);
  if (stopped === 'money' && next?.money === null) return unpricedFault(next.model, budget.money ?? 0);
  if (stopped === 'calls' || stopped === 'tokens' || stopped === 'money') {
    const limit = budget[stopped] ?? 0;
    const need = next === undefined ? undefined : spendingOf(next)[stopped];
    return spentFault(stopped, limit, stopped === 'calls' ? undefined : need, Math.max(0, limit - spent[stopped]));
  }
  return new BudgetFault(stopped ?? 'seconds', `The budget of ${stopped} is spent. Raise it to continue.`);
}

function placeOf(model: string): string {
  try {
    // Models of one file share limits, like models of one server.
    return isFileModel(model) ? model : parseModelName(model).place;
  } catch {
    // A model created in code has its own limits.
    return model;
  }
}
