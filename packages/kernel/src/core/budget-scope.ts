/**
 * @file The budget of model calls, in an async context: code that plays, judges, or proposes does not pass it on, and cannot forget it.
 *
 * Node keeps the context across every await. Without such a context (in a browser), calls are counted after they are made.
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
  /** Whether a request was already sent under it. */
  used: boolean;
  /** Reserves another request. The previous one counts by its usage if given, else as failed. */
  again(usage?: Usage): Promise<void>;
}

export function withAttempt<T>(attempt: Attempt, use: () => T): T {
  return attempts === undefined ? use() : attempts.run(attempt, use);
}

/** The reservation that a model's call is made under: a model inside another one uses it instead of reserving for itself. */
export function currentAttempt(): Attempt | undefined {
  return attempts?.getStore();
}

/**
 * For models that send several requests per call: every request counts as a call and is reserved. `usage` is the usage of the last one, if
 * known.
 */
export async function reserveAnotherAttempt(usage?: Usage): Promise<void> {
  await attempts?.getStore()?.again(usage);
}
