/** @file The cost of an episode's model calls so far. */

import type { ModelCall } from '../core/index.ts';

export interface Spent {
  readonly calls: number;
  readonly tokens: number;
  readonly money: number;
}

export const nothingSpent: Spent = { calls: 0, tokens: 0, money: 0 };

/** Adds the cost of calls; cached answers cost nothing. */
export function addCosts(before: Spent, calls: readonly ModelCall[]): Spent {
  let { calls: count, tokens, money } = before;
  for (const call of calls) {
    if (call.kept === true) continue;
    count++;
    tokens += call.usage.promptTokens + call.usage.completionTokens;
    money += call.cost ?? 0;
  }
  return { calls: count, tokens, money };
}
