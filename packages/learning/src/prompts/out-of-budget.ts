/** @file How a budget ends a run, and the one that would not. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** Thrown by an evaluator that has nothing left; the run loop takes it for an engine's end. */
export class OutOfBudget extends Error {
  constructor(what: string) {
    super(`The budget of ${what} is spent.`);
    this.name = 'OutOfBudget';
  }
}

/** Plays and proposals after which a budget that is money alone must have been touched. */
const mostFree = 100;

/** Refuses to go on for ever where a budget is money alone and nothing costs any. */
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
