/** @file Computes from advantages the weight of every token in the loss shared by all learners. */

import type { JsonObject, Learner, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { settingAt } from './channels.ts';
import { shares } from './losses/aggregate.ts';
import { outside, type PastEntropy } from './losses/band.ts';
import { klEstimate } from './losses/kl.ts';
import { ratioOf, surrogate } from './losses/surrogate.ts';
import type { Recipe } from './recipe.ts';
import { between } from './schedule.ts';

export interface Weighed {
  readonly weighted: readonly TokenRow[];
  readonly settings: JsonObject;
  readonly clipped: number;
}

interface WeighOptions {
  readonly learner: Learner;
  readonly recipe: Recipe;
  readonly done: number;
  /** Entropies of earlier updates. */
  readonly past: PastEntropy;
  /** The number of games that the rows are from. */
  readonly games: number;
}

/** Rows with weights that give `cross_entropy` the gradient of the recipe's loss at the learner's current weights. */
export async function computeTokenWeights(
  rows: readonly TokenRow[],
  { learner, recipe, done, past, games }: WeighOptions,
): Promise<Weighed> {
  const { loss, importance } = recipe;
  const factors = shares(
    rows.map(({ mask }) => mask),
    { mode: loss.aggregation, length: loss.aggregation === 'games' ? games : (loss.length ?? 1) },
  );
  const current = await learner.logprobs(rows);
  const estimated = loss.kl !== undefined && loss.kl.estimate !== 'exact' ? loss.kl : null;
  const weight = settingAt(estimated?.weight ?? 0, done);
  const reference = estimated === null ? null : await learner.logprobs(rows, 'reference');
  let [cut, tokens] = [0, 0];
  const weighted = rows.map((row, i) => {
    const [now, sampled] = [current[i], row.logprobs ?? current[i]];
    const factor = factors[i];
    const caps = importance === null ? null : tokenWeights(now, sampled, importance);
    const weights = Float64Array.from(row.mask, (bit, t) => {
      if (bit === 0) return 0;
      const matchingSurrogate = surrogate(ratioOf(now[t], sampled[t]), row.advantages?.[t] ?? 0, loss);
      tokens++;
      if (matchingSurrogate.clipped) cut++;
      // Importance weights already contain the ratio to the sampler, so the slope is the plain advantage.
      const slope = caps === null ? matchingSurrogate.slope : caps[t] * (row.advantages?.[t] ?? 0);
      const pull = estimated === null ? 0 : weight * klOf(estimated.estimate, now[t], reference?.[i]?.[t] as number);
      return factor * (slope - pull);
    });
    return { ...row, weights };
  });
  return { weighted, settings: regularisers(recipe, { factors, done, past }), clipped: cut / Math.max(1, tokens) };
}

function klOf(estimate: string, logprob: number, reference: number): number {
  return klEstimate(estimate as 'k1' | 'k2' | 'k3', logprob, reference).slope;
}

/** Regularizers for learners that compute whole distributions, at the scale of the aggregation. */
function regularisers(recipe: Recipe, { factors, done, past }: Situation): JsonObject {
  const scale = factors.reduce((sum, value) => sum + value, 0) / Math.max(1, factors.length);
  return Object.fromEntries(Object.entries(pulls(recipe, { done, past })).map(([name, pull]) => [name, pull * scale]));
}

/** The weights per decision of the divergence from the reference and of the entropy bonus. */
export function pulls({ loss }: Recipe, { done, past }: Pick<Situation, 'done' | 'past'>): Readonly<Record<string, number>> {
  // A hinge on the entropy is a bonus that is higher below the band and lower above it.
  const back = loss.band === undefined ? 0 : -loss.band.weight * outside(past.last, past.mean, loss.band).slope;
  const bonus = (loss.entropy === undefined ? 0 : between(loss.entropy, done)) + back;
  return {
    ...(loss.kl?.estimate === 'exact' ? { kl: settingAt(loss.kl.weight, done) } : {}),
    ...(bonus === 0 ? {} : { entropy: bonus }),
  };
}

interface Situation {
  readonly factors: readonly number[];
  readonly done: number;
  readonly past: PastEntropy;
}

/**
 * Truncated importance sampling: weights of tokens that another policy sampled (an older one, another engine), by their likelihood under
 * the current one. Truncation at `cap` only reduces the total weight.
 */
export function tokenWeights(current: ArrayLike<number>, sampled: ArrayLike<number>, cap = 2): Float64Array {
  return Float64Array.from(current, (logprob, i) => Math.min(Math.exp(logprob - sampled[i]), cap));
}
