/** @file Why a budget allows no further calls: it is spent, a price is unknown, or a model fails repeatedly. */

import { Fault, sentenceOf } from './fault.ts';
import type { Model } from './model.ts';
import type { Budget } from './plan.ts';

/** Rejects a model without a price if money is limited. */
export function requirePrice({ id, price }: Pick<Model, 'id' | 'price'>, money: number | undefined): void {
  if (money !== undefined && price === null) throw new Fault('input', unpricedSentence(id, money));
}

/** Why a limit on money cannot be enforced for a model, and how to fix it. */
function unpricedSentence(model: string, money: number): string {
  const example = JSON.stringify({ [model]: { prompt: 0.15, completion: 0.6 } });
  return `The price of ${model} is unknown, so a budget of $${money} cannot be enforced. Give its price in dollars per million tokens in a JSON file named by LUDUS_PRICES, such as ${example}, or limit calls or tokens instead. No call was made.`;
}

export type BudgetPart = keyof Budget;

/** Thrown instead of making a call. */
export class BudgetFault extends Fault {
  readonly part: BudgetPart;
  /** Nothing was spent: a limit on money cannot be enforced, because a price is unknown. */
  readonly isPriceUnknown: boolean;

  constructor(part: BudgetPart, message: string, isPriceUnknown = false) {
    super('model', message);
    this.name = 'BudgetFault';
    this.part = part;
    this.isPriceUnknown = isPriceUnknown;
  }
}

export function unpricedFault(model: string, money: number): BudgetFault {
  return new BudgetFault('money', unpricedSentence(model, money), true);
}

/** A limit that does not allow what comes next. */
export interface Shortage {
  readonly unit: 'calls' | 'plays' | 'tokens' | 'money';
  readonly limit: number;
  /** The most that the next call or step may take, and the rest of the budget; without them, the budget is spent. */
  readonly need?: number | undefined;
  readonly left?: number | undefined;
  readonly next?: 'call' | 'play' | 'step';
}

/** An amount of a budget, such as "$0.01" or "300 tokens". */
export function amountOf(unit: Shortage['unit'], value: number): string {
  if (unit === 'money') return `$${Number(value.toPrecision(6))}`;
  const whole = Math.round(value);
  return `${whole} ${whole === 1 ? unit.slice(0, -1) : unit}`;
}

/** Why a budget allows nothing more: it is spent, or what comes next may take more than is left of it; and what to do. */
export function shortageSentence({ unit, limit, need, left, next = 'call' }: Shortage): string {
  const amount = (value: number) => amountOf(unit, value);
  // A part of a larger plan may start with nothing left.
  const budget = limit > 0 ? `budget of ${amount(limit)}` : `budget of ${unit}`;
  if (need === undefined || left === undefined || left <= 0) return `The ${budget} is spent. Raise it to continue.`;
  const remedy = unit === 'tokens' || unit === 'money' ? ' Raise it, or lower "maxTokens" of the models.' : '';
  return `The ${budget} has ${amount(left)} left, but the next ${next} may take up to ${amount(need)}; ${amount(limit - left)} spent so far.${remedy}`;
}

export function spentFault(part: 'calls' | 'tokens' | 'money', limit: number, need?: number, left?: number): BudgetFault {
  return new BudgetFault(part, shortageSentence({ unit: part, limit, need, left }));
}

/** The default number of consecutive failures allowed for one model: more than one round of retries of all concurrent calls. */
const usualFailures = 50;

/** Consecutive failed calls, by model: a model that answers must not hide one that never does. */
export class Failures {
  readonly #limit: () => number | undefined;
  readonly #row = new Map<string, number>();
  fault: BudgetFault | null = null;

  constructor(limit: () => number | undefined) {
    this.#limit = limit;
  }

  succeeded(model: string): void {
    this.#row.delete(model);
  }

  /** Returns the fault if this failure was one too many. Rate limiting (429) and canceled calls do not count as failures. */
  failed(model: string, thrown: unknown, cancelled: boolean): BudgetFault | null {
    if (cancelled || (thrown as { status?: unknown } | null)?.status === 429) return null;
    const row = (this.#row.get(model) ?? 0) + 1;
    this.#row.set(model, row);
    if (row < (this.#limit() ?? usualFailures)) return null;
    this.fault ??= new BudgetFault(
      'failures',
      `${row} calls of ${model} in a row failed, so no more are made. The last error: ${sentenceOf(thrown)}`,
    );
    return this.fault;
  }
}
