/**
 * @file Describes in sentences where a synthetic population differs from people. Reports only differences beyond chance, corrected for the
 * number of comparisons.
 */

import { chiSquareTail, normalCdf } from '@ludus-agents/evaluation/internal/scoring/statistics/distributions';
import { holm } from '@ludus-agents/evaluation/internal/scoring/statistics/multiple';
import type { ItemComparison, SurveyComparison } from './compare.ts';
import type { CompositionRow } from './composition.ts';

/**
 * Significance level of the sentences. Each kind of comparison (items, spreads, correlations, groups, attributes) makes a false claim with
 * a probability of at most one in a hundred, by Holm's correction over all comparisons of its kind.
 */
export const claimLevel = 0.01;

/** Distances that differ by less are equal. */
const rounding = 1e-9;

const points = (share: number) => `${(100 * share).toFixed(1)} points`;
const percentage = (share: number) => `${(100 * share).toFixed(1)}%`;

/**
 * Returns sentences, worst first. The absence of a finding doesn't prove similarity, so the last sentence states what could have been
 * detected.
 */
export function cannotStandFor({ items, correlations, groups, people }: Omit<SurveyComparison, 'cannot'>): readonly string[] {
  const statements: { readonly size: number; readonly text: string }[] = [];
  const alike = holm(items.map(alikeChance));
  const nearer = holm(items.map(({ overMiddle }) => overMiddle?.p ?? 1));
  for (const [i, itemComparison] of items.entries()) {
    const { item, labels, adjusted, totalVariation, humanShares, syntheticShares, wasserstein, deviationRatio, noise } = itemComparison;
    const gaps = labels.map((_, option) => syntheticShares[option] - humanShares[option]);
    const worst = gaps.reduce((best, gap, option) => (Math.abs(gap) > Math.abs(gaps[best]) ? option : best), 0);
    if (adjusted < claimLevel)
      statements.push({
        size: totalVariation,
        text: `${item}: the answers differ from people’s by ${points(totalVariation)} (chance: up to ${points(noise.totalVariation)}); "${labels[worst]}" gets ${percentage(syntheticShares[worst])} instead of ${percentage(humanShares[worst])}.`,
      });
    const over = itemComparison.overMiddle;
    if (over !== null && nearer[i] < claimLevel && over.difference > rounding && labels.length > 2)
      statements.push({
        size: wasserstein,
        text: `${item}: always choosing the middle answer would be closer to people by ${percentage(over.difference)} of the scale (95% ${percentage(over.interval[0])} to ${percentage(over.interval[1])}; p ${formatP(nearer[i])} after Holm's correction).`,
      });
    if (deviationRatio !== null && deviationRatio < 0.7 && alike[i] < claimLevel)
      statements.push({
        size: 1 - deviationRatio,
        text: `${item}: the synthetic people are too similar; their standard deviation is ${deviationRatio.toFixed(2)} times people’s.`,
      });
  }
  if (correlations !== null && correlations.meanDifference > 0.15 && correlations.p <= claimLevel)
    statements.push({
      size: correlations.meanDifference,
      text: `Correlations between items are ${correlations.meanDifference.toFixed(2)} off on average (people ${correlations.people.toFixed(2)}, synthetic ${correlations.synthetic.toFixed(2)}).`,
    });
  for (const { item, attribute, value, bias, interval, adjusted } of groups)
    if (adjusted < claimLevel && Math.abs(bias) > 0.05)
      statements.push({
        size: Math.abs(bias),
        text: `${item} among ${attribute} ${value}: ${points(bias)} off (95% ${points(interval[0])} to ${points(interval[1])}; p ${formatP(adjusted)} after Holm's correction for ${groups.length} groups).`,
      });
  const order = statements.toSorted((a, b) => b.size - a.size).map(({ text }) => text);
  const smallestVisible = items.length === 0 ? 0 : Math.max(...items.map(({ noise }) => noise.totalVariation));
  return [...order, `With ${people} people, differences below ${points(smallestVisible)} cannot be distinguished from chance.`];
}

/** Returns the probability that spreads this unequal come from equally diverse people, by the logarithm of the ratio. */
function alikeChance({ deviationRatio, people, synthetic }: ItemComparison): number {
  if (deviationRatio === null || deviationRatio >= 1) return 1;
  const error = Math.sqrt(1 / (2 * (people - 1)) + 1 / (2 * (synthetic - 1)));
  return normalCdf(Math.log(Math.max(1e-12, deviationRatio)) / error);
}

/** Returns attributes in which the respondents differ from the people they represent by more than sampling error. */
export function otherPeople(composition: readonly CompositionRow[]): readonly string[] {
  const adjusted = holm(composition.map(compositionChance));
  return composition
    .filter(({ difference }, i) => (difference === null || difference > 0.1) && adjusted[i] < claimLevel)
    .map(
      ({ attribute, difference }) =>
        `${attribute}: the real and the synthetic people differ (standardized difference ${difference === null ? 'unbounded' : difference.toFixed(2)}).`,
    );
}

/** The squared standardized difference of two samples of the same people follows a chi-square distribution, scaled by their sizes. */
function compositionChance({ difference, values, sizes }: CompositionRow): number {
  if (difference === null) return 0;
  const levels = values.filter(({ synthetic, people }) => synthetic > 0 || people > 0).length;
  const scale = (sizes.synthetic * sizes.people) / (sizes.synthetic + sizes.people);
  return levels < 2 ? 1 : chiSquareTail(difference ** 2 * scale, levels - 1);
}

function formatP(p: number): string {
  return p < 0.0001 ? '< 0.0001' : `= ${p.toPrecision(2)}`;
}
