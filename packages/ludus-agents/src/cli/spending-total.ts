/**
 * @file The total model spending of a command.
 *
 * Every command runs with a budget counter without limits. Each request is reserved where it is made, by players, judges, proposers
 * and simulated users alike. The total equals the requests that servers received, and nothing is counted twice. The fake model sends no requests.
 */

import { BudgetCounter, type CallBudget, type Reservation } from '@ludus-agents/kernel/internal/core/budget-counter';
import { requirePrice } from '@ludus-agents/kernel/internal/core/budget-fault';
import { currentBudget, withBudget } from '@ludus-agents/kernel/internal/core/budget-scope';
import { count, spendingWords } from '@ludus-agents/kernel/internal/core/format';
import { coloursFor } from './render/colours.ts';
import type { SpendingOptions } from './spending.ts';
import type { CommandSpending, Terminal } from './terminal.ts';

/** Runs a command, and prints its spending at the end if it has called a model. */
export async function countingSpending<T>(
  terminal: Terminal,
  { maxCost }: SpendingOptions,
  run: (terminal: Terminal) => Promise<T>,
): Promise<T> {
  const counter = new BudgetCounter({ failures: Number.POSITIVE_INFINITY }, { parent: currentBudget() });
  const spending = (): CommandSpending | null => spendingIn(counter);
  try {
    return await withBudget(withoutFake(counter, maxCost), () => run({ ...terminal, spending }));
  } finally {
    const total = spending();
    if (total !== null) terminal.stderr.write(`${coloursFor(terminal.stderr, terminal.env).faint(totalWords(total))}\n`);
  }
}

/** The fake model and the control judges answer in this process, by rules. */
const isFake = (model: string): boolean => /^(fake\b|control\/)/.test(model);

/** The counter for all models that make requests. With a limit in dollars, a model without a price is rejected when loaded. */
function withoutFake(counter: BudgetCounter, maxCost: number | undefined): CallBudget {
  return {
    admitModel: (model) => (isFake(model.id) ? undefined : requirePrice(model, maxCost)),
    isBounded: () => counter.isBounded(),
    reserve: async ({ model, ...bound }, signal) =>
      isFake(model) || bound.isLocal === true ? unmetered : counter.reserve({ model, ...bound }, signal),
    refuse: (fault) => counter.refuse(fault),
    know: (model) => counter.know(model),
    countCached: () => counter.countCached(),
    include: (spending) => counter.include(spending),
  };
}

const unmetered: Reservation = { settle: () => {}, fail: () => {}, release: () => {} };

function spendingIn(counter: BudgetCounter): CommandSpending | null {
  const { calls, tokens, money, unpriced } = counter.spent;
  if (calls === 0 && counter.cached === 0) return null;
  return {
    calls,
    tokens: tokens === 0 && calls > 0 ? null : tokens,
    money: unpriced > 0 ? null : Number(money.toFixed(9)),
    cached: counter.cached,
    ...(counter.atBound > 0 && { uncounted: counter.atBound }),
  };
}

/** "Spent: 337 model calls, 63,024 tokens, price unknown." and the share of cached answers. */
function totalWords(total: CommandSpending): string {
  const text = total.cached === 0 ? '' : ` ${count(total.cached, 'more answer')} came from the cache at no cost.`;
  const { uncounted = 0, calls } = total;
  const who = uncounted === calls ? 'No call' : `${calls - uncounted} of the calls`;
  const reason =
    uncounted === 0 || total.tokens === null ? '' : ` ${who} reported tokens; a call without them counts at the most it was allowed.`;
  return `Spent: ${spendingWords(total)}.${reason}${text}`;
}
