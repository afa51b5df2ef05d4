/** @file Ends a run when its budget is spent, and detects a budget that would never end it. */

import { type BudgetPart, Fault, type Shortage, shortageSentence } from '@ludus-agents/kernel/internal/core/index';

/** Thrown by an evaluator when its budget does not allow what comes next; the run loop treats it as the engine's end. */
export class OutOfBudget extends Error {
  readonly part: BudgetPart | 'plays' | 'proposals';

  constructor(part: OutOfBudget['part'], message: string) {
    super(message);
    this.name = 'OutOfBudget';
    this.part = part;
  }
}

export function outOfBudget(shortage: Shortage & { readonly unit: 'plays' | 'tokens' | 'money' }): OutOfBudget {
  return new OutOfBudget(shortage.unit, shortageSentence(shortage));
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
