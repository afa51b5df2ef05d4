/** @file What so many items of one sort would take, from a pilot of a few: the same figures as for a plan, for work that plays no episodes. */

import { type CostEstimate, type EstimateOptions, pricesOf, sumUse, type Taken } from './estimate.ts';
import { roundSpan } from './span.ts';

export interface CallsToEstimate {
  /** What is made: named where a plan names its environment. */
  readonly what: string;
  readonly models: readonly string[];
  /** What the models took for each item of the pilot. */
  readonly taken: readonly Taken[];
  readonly items: number;
  /** The most calls that one item may take. */
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
