/** @file Tests whether the ranking is decided: every agent against the next below it, with an estimate of the games still needed. */

import { normalCdf } from '../statistics/distributions.ts';
import { checkLevel } from '../statistics/mean.ts';
import { holm } from '../statistics/multiple.ts';
import { episodesFor } from '../statistics/power.ts';
import type { BradleyTerry } from './bradley-terry.ts';

export interface Gap {
  readonly above: string;
  readonly below: string;
  /** Difference of strengths, natural scale. */
  readonly gap: number;
  readonly error: number;
  /** Two-sided, adjusted by Holm for all neighbours. */
  readonly p: number;
  readonly decided: boolean;
}

export interface Separation {
  readonly decided: boolean;
  readonly gaps: readonly Gap[];
  /** More games, spread as before, until the closest undecided gap would likely be decided; null where two are exactly level. */
  readonly needed: number | null;
  readonly words: string;
}

export function separation(fit: BradleyTerry, options: { readonly level?: number; readonly power?: number } = {}): Separation {
  const { level = 0.95, power = 0.8 } = options;
  const alpha = 1 - checkLevel(level);
  const raw = fit.ratings.slice(1).map((below, i) => {
    const above = fit.ratings[i];
    const [row, next] = [fit.covariance[i], fit.covariance[i + 1]] as [readonly number[], readonly number[]];
    const error = Math.sqrt(row[i] + next[i + 1] - 2 * row[i + 1]);
    const gap = above.strength - below.strength;
    return { above: above.name, below: below.name, gap, error, p: 2 * normalCdf(-gap / error) };
  });
  const adjusted = holm(raw.map((item) => item.p));
  const gaps = raw.map((item, i): Gap => ({ ...item, p: adjusted[i], decided: adjusted[i] <= alpha }));
  const open = gaps.filter((gap) => !gap.decided);
  // Errors shrink with the root of the games, so each game brings 1 / (games · error²) of what is needed.
  const strict = alpha / gaps.length;
  const wanted = open.map(({ gap, error }) => (gap > 1e-9 ? episodesFor(error ** 2 * fit.games, gap, { alpha: strict, power }) : Infinity));
  const most = Math.max(0, ...wanted.map((games) => games - fit.games));
  return { decided: open.length === 0, gaps, needed: Number.isFinite(most) ? most : null, words: wordsOf(gaps, fit) };
}

function wordsOf(gaps: readonly Gap[], fit: BradleyTerry): string {
  const matches = `${fit.games} matches`;
  const open = gaps.filter((gap) => !gap.decided);
  const order = fit.ratings.map((rated) => rated.name).join(' > ');
  if (open.length === 0) return `The order ${order} is decided after ${matches}.`;
  const pairs = open.map((gap) => `${gap.above} and ${gap.below}`).join('; ');
  return `The order is not decided after ${matches}: cannot yet separate ${pairs}.`;
}
