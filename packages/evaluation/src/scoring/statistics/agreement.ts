/** @file Agreement of raters beyond chance: Cohen's kappa (plain or weighted), Gwet's AC1, Fleiss' kappa and Krippendorff's alpha. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { normalQuantile } from './distributions.ts';
import { checkLevel, type Interval } from './mean.ts';

export type RatingMatrix = readonly (readonly number[])[];

export interface Agreement {
  readonly kappa: number;
  readonly error: number;
  readonly interval: Interval;
  /** Observed agreement, and what two raters with the same habits would reach by chance; weighted where weights are given. */
  readonly seen: number;
  readonly chance: number;
  readonly n: number;
}

/** Counts how often the first rater said row i while the second said column j; the order of `categories` is the scale. */
export function crossTable<T>(first: readonly T[], second: readonly T[], categories: readonly T[]): number[][] {
  if (first.length !== second.length)
    throw new Fault('input', `Both raters must have rated the same cases, but one rated ${first.length} and the other ${second.length}.`);
  const table = categories.map(() => categories.map(() => 0));
  first.forEach((label, i) => {
    const row = table[categories.indexOf(label)];
    const column = categories.indexOf(second[i]);
    if (row === undefined || column < 0)
      throw new Fault(
        'input',
        `Ratings must be among ${categories.join(', ')}, but case ${i + 1} has ${String(label)} and ${String(second[i])}.`,
      );
    row[column] = row[column] + 1;
  });
  return table;
}

/** Cohen's kappa of a square table of counts. Weights give part credit to near misses on an ordered scale. Error: Fleiss, Cohen and Everitt (1969). */
export function cohenKappa(table: RatingMatrix, weights: 'none' | 'linear' | 'quadratic' = 'none', level = 0.95): Agreement {
  const { shares, rows, columns, n } = marginsOf(table);
  const last = table.length - 1;
  const credit = (i: number, j: number) => {
    if (weights === 'none') return i === j ? 1 : 0;
    const gap = Math.abs(i - j) / last;
    return weights === 'linear' ? 1 - gap : 1 - gap * gap;
  };
  let seenCount = 0;
  let chance = 0;
  each(shares, (share, i, j) => {
    seenCount += credit(i, j) * share;
    chance += credit(i, j) * rows[i] * columns[j];
  });
  if (chance === 1)
    throw new Fault('input', 'Kappa needs two categories in use, but both raters always gave the same one. Report raw agreement.');
  const kappa = (seenCount - chance) / (1 - chance);
  const rowCredit = rows.map((_, i) => columns.reduce((sum, column, j) => sum + column * credit(i, j), 0));
  const columnCredit = columns.map((_, j) => rows.reduce((sum, row, i) => sum + row * credit(i, j), 0));
  let spread = -((seenCount * chance - 2 * chance + seenCount) ** 2);
  each(shares, (share, i, j) => {
    spread += share * (credit(i, j) * (1 - chance) - (rowCredit[i] + columnCredit[j]) * (1 - seenCount)) ** 2;
  });
  const error = Math.sqrt(Math.max(0, spread) / n) / (1 - chance) ** 2;
  const half = normalQuantile(0.5 + checkLevel(level) / 2) * error;
  return { kappa, error, interval: [kappa - half, kappa + half], seen: seenCount, chance, n };
}

interface Margins {
  readonly shares: RatingMatrix;
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly n: number;
}

function marginsOf(table: RatingMatrix): Margins {
  const size = table.length;
  if (size < 2 || table.some((row) => row.length !== size || row.some((count) => !(count >= 0))))
    throw new Fault('input', 'Agreement of two raters needs a square table of counts with at least two categories.');
  const n = table.flat().reduce((sum, count) => sum + count, 0);
  if (n === 0) throw new Fault('input', 'Agreement needs at least one case that both rated, but the table is empty.');
  const shares = table.map((row) => row.map((count) => count / n));
  const rows = shares.map((row) => row.reduce((sum, share) => sum + share, 0));
  const columns = shares.map((_, j) => shares.reduce((sum, row) => sum + row[j], 0));
  return { shares, rows, columns, n };
}

function each(table: RatingMatrix, visit: (share: number, i: number, j: number) => void): void {
  table.forEach((row, i) => {
    row.forEach((share, j) => {
      visit(share, i, j);
    });
  });
}

export type Scale = 'nominal' | 'ordinal' | 'interval' | 'ratio';

/** Krippendorff's alpha, of any number of raters on any scale. `units[case][rater]` is a rating or null. Nominal ratings may be any numbers; on the other scales they are the scale. */
export function krippendorffAlpha(units: readonly (readonly (number | null)[])[], scale: Scale): number {
  const rated = units.map((unit) => unit.filter((rating) => rating !== null)).filter((unit) => unit.length >= 2);
  const values = [...new Set(rated.flat())].sort((a, b) => a - b);
  if (rated.length === 0)
    throw new Fault('input', "Krippendorff's alpha needs at least one case with two ratings, but no case has two. Rate more cases twice.");
  if (values.length < 2)
    throw new Fault('input', `Krippendorff's alpha needs two different ratings, but all are ${values[0]}. Report raw agreement.`);
  if (scale === 'ratio' && values[0] < 0)
    throw new Fault('input', `A ratio scale starts at 0, but got ${values[0]}. Use an interval scale.`);
  const combined = coincidences(rated, values);
  const totals = combined.map((row) => row.reduce((sum, count) => sum + count, 0));
  const distance = distances(scale, values, totals);
  const n = totals.reduce((sum, total) => sum + total, 0);
  let seenCount = 0;
  let chance = 0;
  for (let i = 0; i < values.length; i++) {
    for (let j = 0; j < values.length; j++) {
      seenCount += combined[i][j] * distance(i, j);
      chance += ((totals[i] * totals[j]) / (n - 1)) * distance(i, j);
    }
  }
  return 1 - seenCount / chance;
}

/** How often value i stood beside value j in one case, each case weighing as much as it has ratings. */
function coincidences(rated: readonly (readonly number[])[], values: readonly number[]): number[][] {
  const index = new Map(values.map((value, i) => [value, i]));
  const table = values.map(() => values.map(() => 0));
  for (const unit of rated) {
    const places = unit.map((rating) => index.get(rating) as number);
    places.forEach((i, a) => {
      places.forEach((j, b) => {
        const row = table[i];
        if (a !== b) row[j] = row[j] + 1 / (unit.length - 1);
      });
    });
  }
  return table;
}

/** The squared distance between the i-th and the j-th value on a scale. */
function distances(scale: Scale, values: readonly number[], totals: readonly number[]): (i: number, j: number) => number {
  if (scale === 'nominal') return (i, j) => (i === j ? 0 : 1);
  const at = (i: number) => values[i];
  if (scale === 'interval') return (i, j) => (at(i) - at(j)) ** 2;
  if (scale === 'ratio') return (i, j) => (i === j ? 0 : ((at(i) - at(j)) / (at(i) + at(j))) ** 2);
  // Ordinal distance is the number of ratings that lie between two values, each end counted half.
  const middles: number[] = [];
  let below = 0;
  for (const total of totals) {
    middles.push(below + total / 2);
    below += total;
  }
  return (i, j) => (middles[i] - middles[j]) ** 2;
}
