/**
 * @file A tree-structured Parzen estimator over categorical variables (Bergstra et al., 2011): suggests the next combination to try, given
 * the scores so far.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

/** One value index for each variable. */
export type Combination = readonly number[];

export interface ScoredCombination {
  readonly values: Combination;
  readonly score: number;
}

export interface SurrogateOptions {
  /** The number of values of each variable. */
  readonly sizes: readonly number[];
  /** The share of observations that count as good. */
  readonly good?: number;
  /** The number of combinations drawn, of which the most promising is chosen. */
  readonly draws?: number;
}

/** The combination with the best ratio of densities among a few draws from the good ones. */
export function suggestCombination(observations: readonly ScoredCombination[], dice: Rng, options: SurrogateOptions): Combination {
  const { sizes, good = 0.25, draws = 24 } = options;
  const sorted = observations.toSorted((a, b) => b.score - a.score);
  const cut = Math.max(1, Math.ceil(good * sorted.length));
  const [top, rest] = [sorted.slice(0, cut), sorted.slice(cut)];
  const densities = sizes.map((size, variable) => ({ l: densityOf(top, variable, size), g: densityOf(rest, variable, size) }));
  let best: { readonly values: Combination; readonly ratio: number } | null = null;
  for (let i = 0; i < draws; i++) {
    const values = densities.map(({ l }) => dice.weighted(l));
    const ratio = values.reduce((sum, value, variable) => {
      const { l, g } = densities[variable];
      return sum + Math.log(l[value]) - Math.log(g[value]);
    }, 0);
    if (best === null || ratio > best.ratio) best = { values, ratio };
  }
  return best?.values ?? sizes.map((size) => dice.int(size));
}

/** The frequency of each value with add-one smoothing, so that untried values stay possible. */
function densityOf(observations: readonly ScoredCombination[], variable: number, size: number): readonly number[] {
  const counts = Array.from({ length: size }, () => 1);
  for (const { values } of observations) counts[values[variable]] += 1;
  return counts.map((count) => count / (observations.length + size));
}
