/**
 * @file Options that limit a command's spending on models, shared by all commands that call models.
 *
 * A command that plays a plan passes them on with it, because its workers share them. All others run within their own budget: a call
 * that could exceed it does not start, and the command stops as at Ctrl-C and keeps its results.
 */

import { BudgetCounter } from '@ludus-agents/kernel/internal/core/budget-counter';
import { BudgetFault } from '@ludus-agents/kernel/internal/core/budget-fault';
import { currentBudget, withBudget } from '@ludus-agents/kernel/internal/core/budget-scope';
import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import type { Budget } from '@ludus-agents/kernel/internal/core/index';
import { printable } from '@ludus-agents/kernel/internal/core/printable';
import type { Command } from 'commander';
import { amount, type CommandCall, type CommandRun, exits, whole } from './command.ts';
import { coloursFor } from './render/colours.ts';
import type { Terminal } from './terminal.ts';

export interface SpendingOptions {
  readonly maxCost?: number;
  readonly maxCalls?: number;
  readonly maxTotalTokens?: number;
}

type Part = 'money' | 'calls' | 'tokens';

export function withSpending(command: Command): Command {
  return command
    .option('--max-cost <dollars>', 'stop before model calls could cost more than this', amount('--max-cost'))
    .option('--max-calls <n>', 'stop after this many model calls', whole('--max-calls', 1))
    .option('--max-total-tokens <n>', 'stop after this many tokens, prompts included', whole('--max-total-tokens', 1));
}

/** The part of a budget given by the options. */
export function budgetOf({ maxCost, maxCalls, maxTotalTokens }: SpendingOptions): Pick<Budget, Part> {
  return {
    ...(maxCost === undefined ? {} : { money: maxCost }),
    ...(maxCalls === undefined ? {} : { calls: maxCalls }),
    ...(maxTotalTokens === undefined ? {} : { tokens: maxTotalTokens }),
  };
}

/** A command whose model calls together stay within the budget of its options. */
export function withinBudget<Options extends object, Args>(run: CommandRun<Options, Args>['run']): CommandRun<Options, Args>['run'] {
  return (call) => {
    const options: SpendingOptions & { readonly workers?: unknown } = call.options;
    const budget = budgetOf(options);
    if (Object.keys(budget).length === 0) return run(call);
    if (options.workers !== undefined)
      throw new Fault('input', 'This command cannot count calls made by workers. Remove --workers, or the budget.');
    return runWithLimit(run, call, budget);
  };
}

async function runWithLimit<Options, Args>(
  run: CommandRun<Options, Args>['run'],
  call: CommandCall<Options, Args>,
  budget: Pick<Budget, Part>,
): Promise<number> {
  const { terminal, interrupt } = interrupting(call.terminal);
  let spent: BudgetFault | null = null;
  const onStop = (fault: BudgetFault) => {
    if (spent !== null) return;
    spent = fault;
    interrupt();
  };
  // The limit of consecutive failures is set elsewhere.
  const purse = new BudgetCounter({ ...budget, failures: Number.POSITIVE_INFINITY }, { parent: currentBudget(), onStop, isPatient: true });
  const tell = () => {
    const colours = coloursFor(call.terminal.stderr, call.terminal.env);
    if (spent !== null) call.terminal.stderr.write(`${colours.yellow(printable(spent.message))}\n`);
  };
  try {
    const code = await withBudget(purse, () => run({ ...call, terminal }));
    tell();
    return spent !== null && code === exits.interrupted ? exits.found : code;
  } catch (thrown) {
    if (!(thrown instanceof BudgetFault)) tell();
    throw thrown;
  }
}

/** The same terminal, and a function that simulates the first Ctrl-C. */
function interrupting(terminal: Terminal): { readonly terminal: Terminal; interrupt(): void } {
  const listeners = new Set<() => void>();
  let isPressed = false;
  return {
    terminal: {
      ...terminal,
      interrupts(listener) {
        const release = terminal.interrupts(() => {
          isPressed = true;
          listener();
        });
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
          release();
        };
      },
    },
    interrupt() {
      // A second Ctrl-C would exit immediately and lose running work.
      if (!isPressed) for (const listener of [...listeners]) listener();
    },
  };
}
