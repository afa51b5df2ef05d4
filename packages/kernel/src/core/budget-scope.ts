/**
 * @file The budget that model calls are made under, in an async context: code that plays, judges or proposes does not pass it on, and
 * cannot forget it.
 *
 * Node keeps the context across every await. Where there is no such context (a browser), calls are counted after they are made.
 */

import type { CallBudget } from './budget-counter.ts';
import type { Usage } from './model.ts';

interface Carrier<T> {
  run<R>(value: T, use: () => R): R;
  getStore(): T | undefined;
}

type Carriers = { readonly AsyncLocalStorage: new <T>() => Carrier<T> };
type Host = { readonly process?: { getBuiltinModule?(name: string): unknown } };

const hooks = (globalThis as Host).process?.getBuiltinModule?.('node:async_hooks') as Carriers | undefined;
const budgets = hooks === undefined ? undefined : new hooks.AsyncLocalStorage<CallBudget>();
const attempts = hooks === undefined ? undefined : new hooks.AsyncLocalStorage<Attempt>();

/** Runs a function with a budget. Every model call that it starts, even later, counts toward the budget. */
export function withBudget<T>(budget: CallBudget, use: () => T): T {
  return budgets === undefined ? use() : budgets.run(budget, use);
}

export function currentBudget(): CallBudget | undefined {
  return budgets?.getStore();
}

/** A call that has been reserved and is being made. */
export interface Attempt {
  /** Whether a request was made of it. */
  used: boolean;
  /** Reserves another request. The one before counts by its usage where that is given, else as failed. */
  again(usage?: Usage): Promise<void>;
}

export function withAttempt<T>(attempt: Attempt, use: () => T): T {
  return attempts === undefined ? use() : attempts.run(attempt, use);
}

/** The reservation that a model's call is made under: a model inside another one uses it instead of reserving for itself. */
export function currentAttempt(): Attempt | undefined {
  return attempts?.getStore();
}

/** For models that send several requests for one call: every request is a call, and is reserved. `usage` is what the last one took, if it is known. */
export async function reserveAnotherAttempt(usage?: Usage): Promise<void> {
  await attempts?.getStore()?.again(usage);
}
