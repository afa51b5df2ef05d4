/** @file Shares and means with design-based intervals, whose errors account for weights and clusters. */

import { betaQuantile, tQuantile } from '@ludus-agents/evaluation/internal/scoring/statistics/distributions';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { AnswerRow } from './answers.ts';

export interface WeighedAnswers {
  readonly value: number;
  readonly weight: number;
  readonly cluster?: string;
}

export interface DesignEstimate {
  readonly value: number;
  readonly error: number;
  readonly interval: Interval;
  readonly n: number;
  /** The variance relative to an unweighted, unclustered sample of the same size; null if undefined. */
  readonly designEffect: number | null;
}

/** Returns the weighted mean with its linearization error: z = w(y − p)/Σw, over clusters if there are any. */
export function designMean(values: readonly WeighedAnswers[], level = 0.95): DesignEstimate {
  const { value, error, degrees, n } = linearise(values);
  const half = degrees < 1 ? Infinity : tQuantile(0.5 + level / 2, degrees) * error;
  const spread =
    values.reduce((sum, weighedAnswers) => sum + weighedAnswers.weight * (weighedAnswers.value - value) ** 2, 0) /
    values.reduce((sum, weighedAnswers) => sum + weighedAnswers.weight, 0);
  const plain = n < 2 ? 0 : spread / (n - 1);
  return { value, error, interval: [value - half, value + half], n, designEffect: plain === 0 ? null : error ** 2 / plain };
}

/**
 * Returns the weighted share of ones. Its interval is Student's on the logit scale. At 0, at 1, and with few people it is that of Korn and
 * Graubard: Clopper and Pearson's with the effective number of people.
 */
export function designShare(values: readonly WeighedAnswers[], level = 0.95): DesignEstimate {
  const { value: p, error, degrees, n } = linearise(values);
  const plain = n < 2 ? 0 : (p * (1 - p)) / (n - 1);
  const designEffect = plain === 0 ? null : error ** 2 / plain;
  if (p <= 0 || p >= 1 || degrees < 1) return { value: p, error, interval: kornGraubard(p, n, level), n, designEffect };
  const half = (tQuantile(0.5 + level / 2, degrees) * error) / (p * (1 - p));
  const at = (x: number) => 1 / (1 + Math.exp(-x));
  const centre = Math.log(p / (1 - p));
  return { value: p, error, interval: [at(centre - half), at(centre + half)], n, designEffect };
}

/** Computes Clopper and Pearson's interval for an effective number of people, which need not be an integer. */
export function kornGraubard(p: number, effective: number, level = 0.95): Interval {
  const tail = (1 - level) / 2;
  const x = p * effective;
  return [x <= 0 ? 0 : betaQuantile(tail, x, effective - x + 1), x >= effective ? 1 : betaQuantile(1 - tail, x + 1, effective - x)];
}

function linearise(values: readonly WeighedAnswers[]): { value: number; error: number; degrees: number; n: number } {
  const n = values.length;
  const total = values.reduce((sum, weighedAnswers) => sum + weighedAnswers.weight, 0);
  if (n === 0 || !(total > 0)) throw new Fault('input', 'A share needs at least one answer with a weight above 0, but there are none.');
  const value = values.reduce((sum, weighedAnswers) => sum + weighedAnswers.weight * weighedAnswers.value, 0) / total;
  const sums = new Map<string, number>();
  values.forEach((weighedAnswers, i) => {
    const key = weighedAnswers.cluster ?? String(i);
    sums.set(key, (sums.get(key) ?? 0) + (weighedAnswers.weight * (weighedAnswers.value - value)) / total);
  });
  const units = [...sums.values()];
  const mean = units.reduce((sum, value) => sum + value, 0) / units.length;
  const squares = units.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { value, error: units.length < 2 ? 0 : Math.sqrt((units.length / (units.length - 1)) * squares), degrees: units.length - 1, n };
}

/** Minimum number of people in a cell; smaller cells are not shown. */
export const fewest = 10;

export interface ShareCell extends DesignEstimate {
  readonly code: number;
  readonly label: string;
}

export interface ItemTable {
  readonly item: string;
  /** The wave of a panel; null if people are asked once. */
  readonly wave: string | null;
  readonly kind: AnswerRow['kind'];
  /** The value of the attribute in this group; null for all people. */
  readonly group: string | null;
  readonly n: number;
  /** True if shares are omitted because too few people answered. */
  readonly few: boolean;
  readonly shares: readonly ShareCell[];
  /** The mean of a scale. */
  readonly mean: DesignEstimate | null;
}

export interface TableOptions {
  readonly by?: string;
  readonly labels: (item: string) => readonly string[];
}

/**
 * Returns the shares of every closed item, for all people or by the values of one attribute. For a ranking: how often an option is first.
 */
export function itemTables(rows: readonly AnswerRow[], { by, labels }: TableOptions): readonly ItemTable[] {
  const items = [...Map.groupBy(rows, ({ item, wave }) => `${item}\u0000${wave}`).values()].filter(([row]) => row?.kind !== 'open');
  return items.flatMap((answerRows) => {
    const [{ item, wave }] = answerRows as [AnswerRow, ...AnswerRow[]];
    const answered = answerRows.filter(({ status }) => status === 'answered');
    const groups =
      by === undefined
        ? [[null, answered] as const]
        : [...Map.groupBy(answered, (row) => row.attributes[by] ?? '')].sort(([a], [b]) => (a < b ? -1 : 1));
    return groups.map(([group, members]): ItemTable => {
      const kind = answerRows[0]?.kind as AnswerRow['kind'];
      const few = members.length < fewest;
      const common = { item, wave: wave === '' ? null : wave, kind, group, n: members.length, few };
      if (members.length === 0 || (few && group !== null)) return { ...common, shares: [], mean: null };
      const shares = labels(item).map((label, i): ShareCell => {
        const has = (row: AnswerRow) => (kind === 'rank' ? row.codes[0] === i + 1 : row.codes.includes(i + 1));
        return { code: i + 1, label, ...designShare(members.map((row) => ({ value: has(row) ? 1 : 0, weight: row.weight }))) };
      });
      const mean = kind === 'scale' ? scaleMean(members, labels(item).length) : null;
      return { ...common, shares, mean };
    });
  });
}

/**
 * Returns the mean code of a scale. If everyone answers alike there is no variance, so the interval assumes that the undetected share of
 * other answers is at either end.
 */
function scaleMean(members: readonly AnswerRow[], points: number): DesignEstimate {
  const mean = designMean(members.map((row) => ({ value: row.codes[0], weight: row.weight })));
  if (mean.error > 0) return mean;
  const others = 1 - kornGraubard(1, mean.n)[0];
  return { ...mean, interval: [mean.value - others * (mean.value - 1), mean.value + others * (points - mean.value)] };
}
