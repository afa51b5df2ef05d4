/** @file Checks whether the position of an item matters: compares early and late answers if the order is random. */

import { holm } from '@ludus-agents/evaluation/internal/scoring/statistics/multiple';
import type { Seed } from '@ludus-agents/kernel/internal/core/index';
import type { SurveyItem } from '../survey/instrument.ts';
import type { AnswerRow } from './answers.ts';
import { distances, noiseFloor, sharesOf } from './distances.ts';

export interface ItemOrderCheck {
  readonly item: string;
  readonly early: number;
  readonly late: number;
  /** Wasserstein distance divided by the length of the scale for scales, total variation for other items. */
  readonly distance: number;
  /** The 95th percentile of the distance by chance alone. */
  readonly noise: number;
  /** p by permutation, adjusted over all items by Holm's method. */
  readonly adjusted: number;
}

/** Minimum number of people per group. */
const fewestEach = 5;

/** Checks items whose position differs between people. */
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
