/** @file One row of the ledger of a shared budget: the spending and the reservations of a worker. */

import type { BudgetStatement, CallBound, WorkerSpending } from '@ludus-agents/kernel/internal/core/index';

export interface Sums {
  calls: number;
  tokens: number;
  money: number;
  unpriced: number;
}

export const none: WorkerSpending = { calls: 0, tokens: 0, money: 0, unpriced: 0 };

/** One row of the ledger: this worker's spending and reservations under one name. */
export class LedgerRow {
  readonly name: string;
  readonly spent: Sums;
  readonly held: Sums = { ...none };
  /** The sums that the ledger has confirmed. */
  confirmed: Sums = { ...none };
  /** Whether the ledger may lack a part of it. */
  isChanged: boolean;
  #revision = 0;

  constructor(name: string, spent: WorkerSpending) {
    this.name = name;
    this.spent = { ...spent };
    this.isChanged = spent.calls > 0;
  }

  get sums(): Sums {
    return sumOf(this.spent, this.held);
  }

  hold({ tokens, money }: CallBound): this {
    this.held.calls++;
    this.held.tokens += tokens;
    this.held.money += money ?? 0;
    this.isChanged = true;
    return this;
  }

  drop({ tokens, money }: CallBound): void {
    this.held.calls--;
    this.held.tokens -= tokens;
    this.held.money -= money ?? 0;
    // Rounding errors of sums and differences are not money.
    if (this.held.calls === 0) this.held.money = 0;
    this.isChanged = true;
  }

  use(tokens: number, money: number | null): void {
    this.spent.calls++;
    this.spent.tokens += tokens;
    if (money === null) this.spent.unpriced++;
    this.spent.money += money ?? 0;
    this.isChanged = true;
  }

  /** Composes the next statement. */
  state(): BudgetStatement {
    this.isChanged = false;
    return { revision: ++this.#revision, spent: { ...this.spent }, held: { ...this.held } };
  }
}

export function sumOf(a: WorkerSpending, b: WorkerSpending): Sums {
  return { calls: a.calls + b.calls, tokens: a.tokens + b.tokens, money: a.money + b.money, unpriced: a.unpriced + b.unpriced };
}

/** The amount by which `a` exceeds `b`, part by part. */
export function excess(a: WorkerSpending, b: WorkerSpending): WorkerSpending {
  const more = (part: keyof WorkerSpending) => Math.max(0, a[part] - b[part]);
  return { calls: more('calls'), tokens: more('tokens'), money: more('money'), unpriced: more('unpriced') };
}
