/** @file An estimate as text and tables. */

import { answerTokens, type CostEstimate } from '@ludus-agents/evaluation/internal/estimate';
import type { Span } from '@ludus-agents/evaluation/internal/span';
import { count, formatGrouped, money } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';

/** "about 120 (60–360)", or only the number if it is certain. */
export function spanWords(
  { low, likely, high }: Span,
  say: (amount: number) => string = (amount) => formatGrouped(Math.round(amount)),
): string {
  return say(low) === say(high) ? say(likely) : `${say(likely)} (${say(low)} to ${say(high)})`;
}

/** The estimated cost, and models with unknown prices. */
export function moneyWords({ money: spent, unpriced }: Pick<CostEstimate, 'money' | 'unpriced'>): string {
  const unknown = unpriced.length === 0 ? '' : `the price of ${printable(unpriced.join(', '))} is not known`;
  if (spent === null) return unknown;
  const text = spent.high === 0 ? 'nothing to pay' : spanWords(spent, money);
  return unknown === '' ? text : `${text}, and ${unknown}`;
}

/** The basis of the figures, in a sentence. */
export function basisWords({ parts, seen }: Pick<CostEstimate, 'parts' | 'seen'>): string {
  const withModels = parts.filter(({ basis }) => basis !== 'none');
  const retainedParts = withModels.filter(({ basis }) => basis === 'store');
  const fromStore = `from ${count(seen, 'earlier episode')} of the same environment and cast`;
  const assumed = `from a pilot with the fake model; assumes ${answerTokens.likely} tokens per answer (${answerTokens.low} to ${answerTokens.high})`;
  if (retainedParts.length === withModels.length) return fromStore;
  return retainedParts.length === 0 ? assumed : `partly ${fromStore}, partly ${assumed}`;
}
