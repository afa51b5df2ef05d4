/**
 * @file A hard budget of calls, tokens and money. The maximum of a call is reserved before it begins, and replaced by its actual use
 * afterward.
 *
 * A failed or canceled call counts at its bound, since it is unknown what the server did. So the reported use is never less than the real
 * one, and the real one never more than allowed. Budgets can be nested: a call is reserved in both.
 */

import { BudgetFault, Failures, requirePrice, spentFault, unpricedFault } from './budget-fault.ts';
import type { WorkerSpending } from './jobs.ts';
import type { Model, ModelCall } from './model.ts';
import type { Budget } from './plan.ts';

export type Allowance = Pick<Budget, 'calls' | 'tokens' | 'money' | 'failures'>;

/** The most that one call may use. */
export interface CallBound {
  readonly model: string;
  readonly tokens: number;
  /** US dollars; null where the price is not known. */
  readonly money: number | null;
  /** Its use is known only afterward, if at all: its tokens and money are counted, but limit only later calls. */
  readonly isOpen?: true;
  /** A program on this machine answers: it counts toward a limit of calls, but is not spending on models. */
  readonly isLocal?: boolean;
}

/** A call that was allowed to begin. Exactly one of the three methods is called, once. */
export interface Reservation {
  settle(call: ModelCall): void;
  /** It was sent and did not succeed. */
  fail(thrown: unknown, cancelled: boolean): void;
  /** It was never sent. */
  release(): void;
}

export interface CallBudget {
  /** Whether tokens or money are limited: then every answer needs a token limit. */
  isBounded(): boolean | Promise<boolean>;
  /** Allows a call to begin, waits until it may, or throws a BudgetFault. */
  reserve(bound: CallBound, signal: AbortSignal): Promise<Reservation>;
  /** Counts a call that was refused by another budget. */
  refuse(fault: BudgetFault): void;
  /** Declares that calls of this model are reserved one by one, so they are not counted again from a log. */
  know(model: string): void;
  /** Rejects a model whose calls cannot be kept within the budget, when it is loaded and before anything is spent. */
  admitModel?(model: Pick<Model, 'id' | 'price'>): void;
  /** Counts a cached answer: no call was made, and nothing was spent. */
  countCached?(): void;
  /** Counts spending by other processes toward this budget, e.g. by workers. */
  include?(spending: WorkerSpending): void;
  /** Whether reservations here are also made in the other budget. */
  isWithin?(budget: CallBudget): boolean;
}

export interface BudgetCounterOptions {
  /** The enclosing budget. */
  readonly parent?: CallBudget | undefined;
  /** Called with the reason why no further call may begin. */
  readonly onStop?: (fault: BudgetFault) => void;
  /**
   * A call that does not fit is refused only after all running calls are settled: if a refusal stops everything, their answers are still
   * used.
   */
  readonly isPatient?: boolean;
}

interface Waiting {
  readonly bound: CallBound;
  go(): void;
  stop(fault: BudgetFault): void;
}

/** Rounding errors must not refuse the last cent. */
const most = (limit: number): number => limit * (1 + 1e-9);

/** Counts the spending of this process's model calls, and stops them at the limits of a budget. */
export class BudgetCounter implements CallBudget {
  /** May be changed while calls run; it applies to the next call. */
  readonly allowance: Allowance;
  readonly #options: BudgetCounterOptions;
  readonly #settled = { calls: 0, tokens: 0, money: 0, unpriced: 0 };
  #cached = 0;
  #atBound = 0;
  readonly #held = { tokens: 0, money: 0, unpriced: 0 };
  /** Calls that have begun and are not settled. */
  #underWay = 0;
  readonly #known = new Set<string>();
  readonly #failures: Failures;
  readonly #queue: Waiting[] = [];
  /** Why the bounds of a model cannot be trusted, if a call exceeded its bound. */
  #broken: BudgetFault | null = null;

  constructor(allowance: Allowance, options: BudgetCounterOptions = {}) {
    this.allowance = allowance;
    this.#options = options;
    this.#failures = new Failures(() => this.allowance.failures);
  }

  /** Running calls count at their bound. */
  get spent(): WorkerSpending {
    const { calls, tokens, money, unpriced } = this.#settled;
    return {
      calls,
      tokens: tokens + this.#held.tokens,
      money: this.#held.money === 0 ? money : money + this.#held.money,
      unpriced: unpriced + this.#held.unpriced,
    };
  }

  /** Calls without a token count, or without one yet: `spent` includes their full allowance. */
  get atBound(): number {
    return this.#atBound + this.#underWay;
  }

  /** Answers that came from a cache, which are not spending. */
  get cached(): number {
    return this.#cached;
  }

  countCached(): void {
    this.#cached++;
    this.#options.parent?.countCached?.();
  }

  include(spending: WorkerSpending): void {
    for (const part of ['calls', 'tokens', 'money', 'unpriced'] as const) this.#settled[part] += spending[part];
    this.#options.parent?.include?.(spending);
  }

  isWithin(budget: CallBudget): boolean {
    return budget === this || (this.#options.parent?.isWithin?.(budget) ?? false);
  }

  get calls(): number {
    return this.spent.calls;
  }

  get tokens(): number {
    return this.spent.tokens;
  }

  get money(): number {
    return this.spent.money;
  }

  isBounded(): boolean | Promise<boolean> {
    return this.allowance.tokens !== undefined || this.allowance.money !== undefined || (this.#options.parent?.isBounded() ?? false);
  }

  admitModel(model: Pick<Model, 'id' | 'price'>): void {
    requirePrice(model, this.allowance.money);
    this.#options.parent?.admitModel?.(model);
  }

  know(model: string): void {
    this.#known.add(model);
    this.#options.parent?.know(model);
  }

  knows(model: string): boolean {
    return this.#known.has(model);
  }

  /** Whether all models reserve their calls here, so that the counted spending is complete. */
  get isUsed(): boolean {
    return this.#known.size > 0;
  }

  refuse(fault: BudgetFault): void {
    this.#options.onStop?.(fault);
  }

  async reserve(bound: CallBound, signal: AbortSignal): Promise<Reservation> {
    signal.throwIfAborted();
    await this.#admit(bound, signal);
    const { parent } = this.#options;
    if (parent === undefined) return this.#reservation(bound, undefined);
    try {
      return this.#reservation(bound, await parent.reserve(bound, signal));
    } catch (thrown) {
      this.#release(bound);
      if (thrown instanceof BudgetFault) this.refuse(thrown);
      throw thrown;
    }
  }

  /** Counts earlier spending that was recorded elsewhere. */
  carry({ tokens, money }: { readonly tokens: number; readonly money: number }): void {
    this.#settled.tokens += tokens;
    this.#settled.money += money;
  }

  /** Trusts all models again, and forgets their failures. */
  reopen(): void {
    this.#broken = null;
    this.#failures.fault = null;
  }

  /** Counts a call that was made without a reservation and is reported afterwards. */
  count({ usage, cost }: ModelCall): void {
    this.#settled.calls++;
    this.#settled.tokens += [usage.promptTokens, usage.completionTokens].filter(isAmount).reduce((sum, value) => sum + value, 0);
    if (cost === null || !isAmount(cost)) this.#settled.unpriced++;
    else this.#settled.money += cost;
    for (const part of ['calls', 'tokens', 'money'] as const) {
      const limit = this.allowance[part];
      if (limit !== undefined && this.#settled[part] >= limit) this.refuse(spentFault(part, limit));
    }
  }

  #admit(bound: CallBound, signal: AbortSignal): Promise<void> {
    if (this.#queue.length === 0 && this.#tryHold(bound)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(signal.reason);
        this.#serve();
      };
      const waiting: Waiting = {
        bound,
        go: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
        stop: (fault) => {
          signal.removeEventListener('abort', leave);
          reject(fault);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push(waiting);
      this.#serve();
    });
  }

  /**
   * Admits calls in order. A call that fits only after others are settled waits for them, and is not overtaken. In a patient budget, so
   * does one that never fits, so that the last running answer can still be used.
   */
  #serve(isIdle = false): void {
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      try {
        if (this.#options.isPatient === true && !isIdle && this.#underWay === 0 && this.#refusal(head.bound) !== null) {
          setTimeout(() => this.#serve(this.#underWay === 0), 0);
          return;
        }
        if (!this.#tryHold(head.bound)) return;
        this.#queue.shift();
        head.go();
      } catch (thrown) {
        this.#queue.shift();
        head.stop(thrown as BudgetFault);
      }
    }
  }

  /** True when the bound is reserved; false when it fits only after others are settled; throws when it never fits. */
  #tryHold(bound: CallBound): boolean {
    const fault = this.#refusal(bound);
    if (fault !== null) {
      const isSpent = fault.part !== 'failures' && fault !== this.#broken && !fault.isPriceUnknown;
      if (this.#options.isPatient === true && isSpent && this.#underWay > 0) return false;
      this.refuse(fault);
      throw fault;
    }
    const { tokens = Infinity, money = Infinity } = this.allowance;
    if (this.#settled.tokens + this.#held.tokens + bound.tokens > tokens) return false;
    if (this.#settled.money + this.#held.money + (bound.money ?? 0) > most(money)) return false;
    this.#settled.calls++;
    this.#underWay++;
    this.#held.tokens += bound.tokens;
    this.#held.money += bound.money ?? 0;
    if (bound.money === null) this.#held.unpriced++;
    return true;
  }

  #refusal(bound: CallBound): BudgetFault | null {
    const { calls, tokens, money } = this.allowance;
    const settled = this.#settled;
    const stopped = this.#broken ?? this.#failures.fault;
    if (stopped !== null) return stopped;
    if (calls !== undefined && settled.calls + 1 > calls) return spentFault('calls', calls);
    if (bound.isOpen === true) {
      if (tokens !== undefined && settled.tokens >= tokens) return spentFault('tokens', tokens);
      return money !== undefined && settled.money > 0 && settled.money >= money ? spentFault('money', money) : null;
    }
    if (tokens !== undefined && settled.tokens + bound.tokens > tokens)
      return spentFault('tokens', tokens, bound.tokens, tokens - settled.tokens);
    if (money === undefined) return null;
    if (bound.money === null) return unpricedFault(bound.model, money);
    if (settled.money + bound.money > most(money)) return spentFault('money', money, bound.money, money - settled.money);
    return null;
  }

  #release(bound: CallBound): void {
    this.#settled.calls--;
    this.#drop(bound);
    this.#serve();
  }

  #drop(bound: CallBound): void {
    this.#underWay--;
    this.#held.tokens -= bound.tokens;
    this.#held.money -= bound.money ?? 0;
    if (bound.money === null) this.#held.unpriced--;
    // Rounding errors of sums and differences are not money.
    if (this.#held.tokens <= 0) this.#held.money = 0;
  }

  #reservation(bound: CallBound, above: Reservation | undefined): Reservation {
    const used = (tokens: number, money: number | null) => {
      this.#drop(bound);
      this.#settled.tokens += tokens;
      if (money === null) this.#settled.unpriced++;
      this.#settled.money += money ?? 0;
    };
    return {
      settle: (call) => {
        const real = usageOf(call, bound);
        if (!isCounted(call)) this.#atBound++;
        used(real.tokens, real.money);
        this.#failures.succeeded(bound.model);
        const fault = brokenBound(bound, real, this.allowance);
        if (fault !== null) {
          this.#broken = fault;
          this.refuse(fault);
        }
        this.#serve();
        above?.settle(call);
      },
      fail: (thrown, cancelled) => {
        if (isUnsent(thrown)) used(0, 0);
        else {
          this.#atBound++;
          used(bound.tokens, bound.isOpen === true ? null : bound.money);
        }
        const fault = bound.isOpen === true ? null : this.#failures.failed(bound.model, thrown, cancelled);
        if (fault !== null) this.refuse(fault);
        this.#serve();
        above?.fail(thrown, cancelled);
      },
      release: () => {
        this.#release(bound);
        above?.release();
      },
    };
  }
}

/** The use of a call. If the server does not count tokens, or reports invalid counts, the call counts as having used its full allowance. */
export function usageOf({ usage, cost }: ModelCall, bound: CallBound): { readonly tokens: number; readonly money: number | null } {
  const { promptTokens, completionTokens, estimated } = usage;
  const tokens = promptTokens + completionTokens;
  if (bound.isOpen === true) return { tokens: isAmount(tokens) ? tokens : 0, money: cost !== null && isAmount(cost) ? cost : null };
  const isValid = isAmount(promptTokens) && isAmount(completionTokens) && (cost === null || isAmount(cost));
  if (isValid && estimated !== true) return { tokens, money: cost };
  const existing = isValid ? { tokens, cost } : { tokens: 0, cost: null };
  return {
    tokens: Math.max(existing.tokens, bound.tokens),
    money: bound.money === null ? existing.cost : Math.max(existing.cost ?? 0, bound.money),
  };
}

/** Whether the server reported how many tokens a call used. */
function isCounted({ usage: { promptTokens, completionTokens, estimated } }: ModelCall): boolean {
  return estimated !== true && isAmount(promptTokens) && isAmount(completionTokens);
}

/** A call that reached no server has spent nothing. */
function isUnsent(thrown: unknown): boolean {
  return thrown instanceof Error && 'isUnsent' in thrown && thrown.isUnsent === true;
}

/** A negative or invalid amount would refund other calls' spending. */
function isAmount(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

/** The fault of a model that used more than it was allowed, or null. */
export function brokenBound(
  bound: CallBound,
  used: { readonly tokens: number; readonly money: number | null },
  allowance: Pick<Allowance, 'tokens' | 'money'>,
): BudgetFault | null {
  if (bound.isOpen === true || (allowance.tokens === undefined && allowance.money === undefined)) return null;
  const dearer = allowance.money !== undefined && (used.money === null || used.money > most(bound.money ?? 0));
  if (used.tokens <= bound.tokens && !dearer) return null;
  return new BudgetFault(
    allowance.tokens === undefined ? 'money' : 'tokens',
    `${bound.model} used ${used.tokens} tokens although the limit was ${bound.tokens}, so no budget can be enforced. All tokens are counted, and no further calls are made. Check the server, or remove the budget.`,
  );
}
