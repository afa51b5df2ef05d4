/** @file Krippendorff's alpha: agreement of any number of raters on any scale, with ratings missing where they are missing. */

import { Fault } from '../../core/index.ts';

export type Scale = 'nominal' | 'ordinal' | 'interval' | 'ratio';

/** `units[case][rater]` is a rating or null. Nominal ratings may be any numbers; on the other scales they are the scale. */
export function krippendorffAlpha(units: readonly (readonly (number | null)[])[], scale: Scale): number {
  const rated = units.map((unit) => unit.filter((rating) => rating !== null)).filter((unit) => unit.length >= 2);
  const values = [...new Set(rated.flat())].sort((a, b) => a - b);
  if (rated.length === 0)
    throw new Fault('input', "Krippendorff's alpha needs at least one case with two ratings, but none has; have more cases rated twice.");
  if (values.length < 2)
    throw new Fault('input', `Krippendorff's alpha needs two different ratings, but all are ${values[0]}; report raw agreement.`);
  if (scale === 'ratio' && (values[0] as number) < 0)
    throw new Fault('input', `A ratio scale starts at 0, but ${values[0]} came; use interval.`);
  const together = coincidences(rated, values);
  const totals = together.map((row) => row.reduce((sum, count) => sum + count, 0));
  const distance = distances(scale, values, totals);
  const n = totals.reduce((sum, total) => sum + total, 0);
  let seen = 0;
  let chance = 0;
  for (let i = 0; i < values.length; i++) {
    for (let j = 0; j < values.length; j++) {
      seen += ((together[i] as number[])[j] as number) * distance(i, j);
      chance += (((totals[i] as number) * (totals[j] as number)) / (n - 1)) * distance(i, j);
    }
  }
  return 1 - seen / chance;
}

/** How often value i occurs with value j in one case, each case weighing as much as it has ratings. */
function coincidences(rated: readonly (readonly number[])[], values: readonly number[]): number[][] {
  const index = new Map(values.map((value, i) => [value, i]));
  const table = values.map(() => values.map(() => 0));
  for (const unit of rated) {
    const places = unit.map((rating) => index.get(rating) as number);
    places.forEach((i, a) => {
      places.forEach((j, b) => {
        const row = table[i] as number[];
        if (a !== b) row[j] = (row[j] as number) + 1 / (unit.length - 1);
      });
    });
  }
  return table;
}

/** The squared distance between the i-th and the j-th value on a scale. */
function distances(scale: Scale, values: readonly number[], totals: readonly number[]): (i: number, j: number) => number {
  if (scale === 'nominal') return (i, j) => (i === j ? 0 : 1);
  const at = (i: number) => values[i] as number;
  if (scale === 'interval') return (i, j) => (at(i) - at(j)) ** 2;
  if (scale === 'ratio') return (i, j) => (i === j ? 0 : ((at(i) - at(j)) / (at(i) + at(j))) ** 2);
  // Ordinal distance is the number of ratings that lie between two values, each end counted half.
  const middles: number[] = [];
  let below = 0;
  for (const total of totals) {
    middles.push(below + total / 2);
    below += total;
  }
  return (i, j) => ((middles[i] as number) - (middles[j] as number)) ** 2;
}
