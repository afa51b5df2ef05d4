/**
 * @file The budget of a run within one worker. Every model call that the worker makes for the run (players, judges, proposers) is reserved
 * in the shared ledger before it begins. None begins while the ledger cannot be reached. Calls that begin at the same time are reserved
 * together.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Account,
  type Budget,
  BudgetFault,
  type BudgetStatement,
  brokenBound,
  type CallBound,
  type CallBudget,
  type CallGrant,
  Failures,
  type ModelCall,
  type Reservation,
  type SharedBudget,
  spentFault,
  unpricedFault,
  usageOf,
  type WorkerSpending,
} from '../core/index.ts';
import { parseModelName } from '../models/kinds.ts';
import { isFileModel } from '../workspace/models.ts';

/** What a place gives in a minute to all workers together, and how many calls each of them makes at once. */
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
}

interface Asking {
  readonly bound: CallBound;
  answer(refused: BudgetFault | null): void;
}

/** Milliseconds between two questions whether calls of other workers have been settled. */
const patience = 250;

export class Meter implements CallBudget {
  readonly #options: MeterOptions;
  readonly #total = { calls: 0, tokens: 0, money: 0, unpriced: 0 };
  readonly #held = { calls: 0, tokens: 0, money: 0, unpriced: 0 };
  readonly #failures = new Failures(() => this.#budget?.failures);
  #said = '';
  /** Calls that wait for their reservation. */
  #asking: Asking[] = [];
  #talking: Promise<void> | null = null;
  #settled: () => void = () => {};
  /** The last answer of the ledger; null before the first. */
  #budget: Budget | null = null;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  /** Calls under way count at their bound. */
  get total(): WorkerSpending {
    const { calls, tokens, money, unpriced } = this.#total;
    return { calls, tokens: tokens + this.#held.tokens, money: money + this.#held.money, unpriced };
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
    if (Object.keys(budget).length === 0) this.#hold(bound);
    else await this.#admitted(bound);
    // A call that was admitted but is no longer wanted is not sent.
    if (signal.aborted) {
      this.#release(bound);
      throw signal.reason;
    }
    return {
      settle: (call) => this.#settle(bound, call),
      fail: (thrown, cancelled) => this.#fail(bound, thrown, cancelled),
      release: () => this.#release(bound),
    };
  }

  /** Reports what was spent if that is not done yet; in any case checks whether the run is to stop. */
  async report(): Promise<void> {
    const { ledger, run, worker } = this.#options;
    const { spent, held } = this.#statement();
    const said = JSON.stringify([spent, held]);
    const account = said === this.#said ? await ledger.account(run) : await ledger.spend(run, worker, spent, held);
    this.#said = said;
    this.#hear(account);
  }

  /** Whether the ledger lacks something that was spent or reserved. */
  get isUnsaid(): boolean {
    const { spent, held } = this.#statement();
    return this.#total.calls > 0 && JSON.stringify([spent, held]) !== this.#said;
  }

  #statement(): BudgetStatement {
    return { spent: { ...this.#total }, held: { ...this.#held } };
  }

  async #learn(): Promise<Budget> {
    for (;;) {
      try {
        const account = await this.#options.ledger.account(this.#options.run);
        this.#budget = account.budget;
        return account.budget;
      } catch {
        await sleep(500);
      }
    }
  }

  async #admitted(bound: CallBound): Promise<void> {
    const refused = await new Promise<BudgetFault | null>((answer) => {
      this.#asking.push({ bound, answer });
      this.#talking ??= this.#talk();
    });
    if (refused !== null) throw this.#stopping(refused);
  }

  #stopping(fault: BudgetFault): BudgetFault {
    this.#options.stop();
    return fault;
  }

  async #talk(): Promise<void> {
    while (this.#asking.length > 0) {
      const asked = this.#asking.slice();
      const grant = await this.#ask(asked.map(({ bound }) => spendingOf(bound)));
      const refused = grant.stopped === null ? null : refusalOf(grant, asked[grant.granted]?.bound);
      for (const { bound, answer } of this.#asking.splice(0, grant.granted)) {
        this.#hold(bound);
        answer(null);
      }
      if (refused !== null) for (const { answer } of this.#asking.splice(0)) answer(refused);
      else if (grant.wait) await this.#oneSettled();
    }
    this.#talking = null;
  }

  /** The ledger is asked until it answers. */
  async #ask(wanted: readonly WorkerSpending[]): Promise<CallGrant> {
    const { ledger, run, worker } = this.#options;
    for (;;) {
      try {
        const grant = await ledger.reserve(run, worker, this.#statement(), wanted);
        this.#budget = grant.budget;
        this.#said = '';
        return grant;
      } catch {
        await sleep(500);
      }
    }
  }

  /** Until a call of this worker is settled, or long enough for one of another to be. */
  async #oneSettled(): Promise<void> {
    const over = new AbortController();
    await Promise.race([
      sleep(patience, undefined, { signal: over.signal }).catch(() => {}),
      new Promise<void>((resolve) => {
        this.#settled = resolve;
      }),
    ]);
    over.abort();
  }

  #hear(account: Account): void {
    this.#budget = account.budget;
    if (account.stopped !== null) this.#options.stop();
  }

  #hold({ tokens, money }: CallBound): void {
    this.#total.calls++;
    this.#held.tokens += tokens;
    this.#held.money += money ?? 0;
  }

  #drop({ tokens, money }: CallBound): void {
    this.#held.tokens -= tokens;
    this.#held.money -= money ?? 0;
    // What is left of sums and differences of fractions is no money.
    if (this.#held.tokens <= 0) this.#held.money = 0;
    this.#settled();
  }

  #release(bound: CallBound): void {
    this.#total.calls--;
    this.#drop(bound);
  }

  #use(bound: CallBound, tokens: number, money: number | null): void {
    this.#total.tokens += tokens;
    if (money === null) this.#total.unpriced++;
    this.#total.money += money ?? 0;
    this.#drop(bound);
  }

  #settle(bound: CallBound, call: ModelCall): void {
    const used = usageOf(call, bound);
    this.#use(bound, used.tokens, used.money);
    this.#failures.succeeded(bound.model);
    const broken = brokenBound(bound, used, this.#budget ?? {});
    if (broken !== null) this.#stopAll(broken);
  }

  #fail(bound: CallBound, thrown: unknown, cancelled: boolean): void {
    this.#use(bound, bound.tokens, bound.money);
    const fault = this.#failures.failed(bound.model, thrown, cancelled);
    if (fault !== null) this.#stopAll(fault);
  }

  /** Other workers would find out for themselves, but at a price. */
  #stopAll({ part, message }: BudgetFault): void {
    this.#options.ledger.stop(this.#options.run, part, message).catch(() => {});
    this.#options.stop();
  }

  async #paced({ model, tokens }: CallBound, signal: AbortSignal): Promise<void> {
    const { ledger, pace } = this.#options;
    if (pace.calls === undefined && pace.tokens === undefined) return;
    const place = placeOf(model);
    const waits: number[] = [];
    if (pace.calls !== undefined) waits.push(await ledger.pace(`${place} calls`, pace.calls, 1));
    if (pace.tokens !== undefined) waits.push(await ledger.pace(`${place} tokens`, pace.tokens, tokens));
    const wait = Math.max(0, ...waits);
    if (wait > 0) await sleep(wait, undefined, { signal });
  }
}

function spendingOf({ tokens, money }: CallBound): WorkerSpending {
  return { calls: 1, tokens, money: money ?? 0, unpriced: money === null ? 1 : 0 };
}

/** Why the call after the granted ones may not begin. */
function refusalOf({ stopped, budget, why, spent }: CallGrant, next: CallBound | undefined): BudgetFault {
  if (why !== undefined) return new BudgetFault(stopped as keyof Budget, why);
  if (stopped === 'money' && next?.money === null) return unpricedFault(next.model, budget.money ?? 0);
  if (stopped === 'calls' || stopped === 'tokens' || stopped === 'money') {
    const limit = budget[stopped] ?? 0;
    const need = next === undefined ? undefined : spendingOf(next)[stopped];
    return spentFault(stopped, limit, stopped === 'calls' ? undefined : need, Math.max(0, limit - spent[stopped]));
  }
  return new BudgetFault(stopped ?? 'seconds', `The budget of ${stopped} is spent; raise it to go on. No call was made.`);
}

function placeOf(model: string): string {
  try {
    // Models of one file share limits as those of one server do.
    return isFileModel(model) ? model : parseModelName(model).place;
  } catch {
    // A model that was made by hand is a place of its own.
    return model;
  }
}
