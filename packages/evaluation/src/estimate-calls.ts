/** @file Estimates the cost of many similar items from a pilot of a few: the same figures as for a plan, for work without episodes. */

import { type CostEstimate, type EstimateOptions, pricesOf, sumUse, type Taken } from './estimate.ts';
import { roundSpan } from './span.ts';

export interface CallsToEstimate {
  /** The kind of item, shown where a plan names its environment. */
  readonly what: string;
  readonly models: readonly string[];
  /** The model usage of each item of the pilot. */
  readonly taken: readonly Taken[];
  readonly items: number;
  /** The maximum number of calls for one item. */
  readonly most: number;
}

export async function estimateCalls(work: CallsToEstimate, { env }: Pick<EstimateOptions, 'env'>): Promise<CostEstimate> {
  const { what, models, taken, items, most } = work;
  const price = await pricesOf([...new Set(models)], env);
  const part = {
    ...{ environment: what, cast: {}, models: [...price.keys()], episodes: items },
    ...sumUse(taken, { episodes: items, price, piloted: true, most, widest: 3 }),
  };
  const { calls, promptTokens, completionTokens, money, unpriced } = part;
  return {
    ...{ episodes: items, money, unpriced, seen: 0, parts: [part] },
    ...{ calls: roundSpan(calls), promptTokens: roundSpan(promptTokens), completionTokens: roundSpan(completionTokens) },
  };
}
