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
  /** Pairs that are not separated, neighbours or not, by their places from 0; those of neighbours first. */
  readonly open: readonly (readonly [above: number, below: number])[];
  /** More games, spread as before, until the closest undecided gap would likely be decided; null where two are exactly level. */
  readonly needed: number | null;
  readonly words: string;
}

export function separation(fit: BradleyTerry, options: { readonly level?: number; readonly power?: number } = {}): Separation {
  const { level = 0.95, power = 0.8 } = options;
  const alpha = 1 - checkLevel(level);
  const raw = fit.ratings.slice(1).map((_, i) => gapBetween(fit, i, i + 1));
  const adjusted = holm(raw.map((item) => item.p));
  const gaps = raw.map((item, i): Gap => ({ ...item, p: adjusted[i], decided: adjusted[i] <= alpha }));
  const open = gaps.filter((gap) => !gap.decided);
  const pairs = openPairs(fit, gaps, alpha);
  // Errors shrink with the root of the games, so each game brings 1 / (games · error²) of what is needed.
  const strict = alpha / gaps.length;
  const wanted = open.map(({ gap, error }) => (gap > 1e-9 ? episodesFor(error ** 2 * fit.games, gap, { alpha: strict, power }) : Infinity));
  const most = Math.max(0, ...wanted.map((games) => games - fit.games));
  return { decided: open.length === 0, gaps, open: pairs, needed: Number.isFinite(most) ? most : null, words: wordsOf(pairs, fit) };
}

/** The gap of two agents by their places, not yet adjusted for others. */
function gapBetween({ ratings, covariance }: BradleyTerry, i: number, j: number): Omit<Gap, 'decided'> {
  const [above, below] = [ratings[i], ratings[j]];
  const error = Math.sqrt(covariance[i][i] + covariance[j][j] - 2 * covariance[i][j]);
  const gap = above.strength - below.strength;
  return { above: above.name, below: below.name, gap, error, p: 2 * normalCdf(-gap / error) };
}

/** Agents further apart are separated by a decided gap between them, or by their own, adjusted by Holm for all pairs. */
function openPairs(fit: BradleyTerry, gaps: readonly Gap[], alpha: number): Separation['open'] {
  const pairs = fit.ratings.flatMap((_, i) => fit.ratings.slice(i + 1).map((_, k) => [i, i + 1 + k] as const));
  const adjusted = holm(pairs.map(([i, j]) => gapBetween(fit, i, j).p));
  return pairs
    .filter(([i, j], k) => !gaps.slice(i, j).some(({ decided }) => decided) && (j === i + 1 || adjusted[k] > alpha))
    .sort(([i, j], [other, another]) => j - i - (another - other) || i - other);
}

/** More pairs than these are counted instead of named. */
const mostNamed = 8;

function wordsOf(open: Separation['open'], { games, ratings }: BradleyTerry): string {
  const matches = `${games} matches`;
  const order = ratings.map((rated) => rated.name).join(' > ');
  if (open.length === 0) return `The order ${order} is decided after ${matches}.`;
  const named = open.slice(0, mostNamed).map(([i, j]) => `${ratings[i].name} and ${ratings[j].name}`);
  const pairs = [...named, ...(open.length > mostNamed ? [`${open.length - mostNamed} more pairs`] : [])].join('; ');
  return `The order is not decided after ${matches}: cannot yet separate ${pairs}.`;
}
