/** @file Ends a run when its budget is spent, and detects a budget that would never end it. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** Thrown by an evaluator without remaining budget; the run loop treats it as the engine's end. */
export class OutOfBudget extends Error {
  constructor(what: string) {
    super(`The budget of ${what} is spent.`);
    this.name = 'OutOfBudget';
  }
}

/** The number of plays and proposals after which a money-only budget must have been charged. */
const mostFree = 100;

/** Refuses to run forever if the budget is only money and nothing costs any. */
export function checkEnds(
  { calls, tokens, money }: { readonly calls?: number; readonly tokens?: number; readonly money?: number },
  payments: number,
  spent: number,
): void {
  if (money === undefined || calls !== undefined || tokens !== undefined || payments < mostFree || spent > 0) return;
  throw new Fault(
    'input',
    `${mostFree} plays have cost nothing, so a budget of money would never run out. Set a budget of calls or tokens instead.`,
  );
}
