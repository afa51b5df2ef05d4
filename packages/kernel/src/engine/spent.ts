/** @file What the model calls of an episode have cost so far. */

import type { ModelCall } from '../core/index.ts';

export interface Spent {
  readonly calls: number;
  readonly tokens: number;
  readonly money: number;
}

export const nothingSpent: Spent = { calls: 0, tokens: 0, money: 0 };

/** Adds calls that were made; one whose answer was kept from before costs nothing. */
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
