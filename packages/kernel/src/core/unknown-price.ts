/** @file A limit in dollars cannot be enforced with a model whose price is unknown: it is refused before anything is spent. */

import { Fault } from './fault.ts';
import type { Model } from './model.ts';

/** Refuses a model without a price where money is limited. */
export function requirePrice({ id, price }: Pick<Model, 'id' | 'price'>, money: number | undefined): void {
  if (money !== undefined && price === null) throw new Fault('input', unpricedSentence(id, money));
}

/** Why a limit on money cannot be enforced with a model, and what to do. */
export function unpricedSentence(model: string, money: number): string {
  const example = JSON.stringify({ [model]: { prompt: 0.15, completion: 0.6 } });
  return `The price of ${model} is unknown, so a budget of $${money} cannot be enforced. Give its price in dollars per million tokens in a JSON file named by LUDUS_PRICES, such as ${example}, or limit calls or tokens instead. No call was made.`;
}
