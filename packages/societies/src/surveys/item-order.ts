/** @file Does it matter when an item is put? Answers of those who had it early next to those who had it late, where the order is one of chance. */

import { holm } from '@ludus-agents/evaluation/internal/scoring/statistics/multiple';
import type { Seed } from '@ludus-agents/kernel/internal/core/index';
import type { SurveyItem } from '../survey/instrument.ts';
import type { AnswerRow } from './answers.ts';
import { distances, noiseFloor, sharesOf } from './distances.ts';

export interface ItemOrderCheck {
  readonly item: string;
  readonly early: number;
  readonly late: number;
  /** Wasserstein over the length of the scale for scales, total variation for other items. */
  readonly distance: number;
  /** The distance that chance alone brings in 95 of 100 cases. */
  readonly noise: number;
  /** By permutation, over all items after Holm. */
  readonly adjusted: number;
}

/** Groups with fewer people say nothing. */
const fewestEach = 5;

/** Only items whose place differs between people can be checked. */
export function itemOrderEffects(items: readonly SurveyItem[], rows: readonly AnswerRow[], seed: Seed): ItemOrderCheck[] {
  const matches = items.flatMap(({ id, kind, options }) => {
    const answered = rows.filter((row) => row.item === id && row.status === 'answered' && row.codes.length > 0 && row.place !== null);
    if (kind === 'open' || kind === 'multiple' || answered.length === 0) return [];
    const places = answered.map(({ place }) => place as number).toSorted((a, b) => a - b);
    const middle = places[Math.floor((places.length - 1) / 2)];
    const coded = (list: readonly AnswerRow[]) => list.map(({ codes, weight }) => ({ code: codes[0], weight }));
    const [early, late] = [answered.filter(({ place }) => place! <= middle), answered.filter(({ place }) => place! > middle)].map(
      coded,
    ) as [ReturnType<typeof coded>, ReturnType<typeof coded>];
    if (early.length < fewestEach || late.length < fewestEach) return [];
    const apart = distances(sharesOf(early, options.length), sharesOf(late, options.length));
    const noise = noiseFloor(early, late, options.length, { seed });
    const isScale = kind === 'scale';
    return [
      {
        item: id,
        early: early.length,
        late: late.length,
        distance: isScale ? apart.wasserstein : apart.totalVariation,
        noise: isScale ? noise.wasserstein : noise.totalVariation,
        p: noise.p,
      },
    ];
  });
  const adjusted = holm(matches.map(({ p }) => p));
  return matches.map(({ p: _, ...match }, i) => ({ ...match, adjusted: adjusted[i] }));
}
