/**
 * @file Differences between synthetic answers and people's, by group.
 *
 * Every attribute of every item is tested, so some groups differ by chance. Each finding is a claim ("cannot stand for"), and groups of
 * different attributes share people: Holm's correction over all groups of all items limits the probability of any false claim, regardless
 * of the dependence between tests. Benjamini and Hochberg's correction would allow a share of false claims.
 */

import { tQuantile, tTwoSided } from '@ludus-agents/evaluation/internal/scoring/statistics/distributions';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { holm } from '@ludus-agents/evaluation/internal/scoring/statistics/multiple';
import { type Coded, sharesOf } from './distances.ts';
import type { Variable } from './files.ts';
import { poolBiases } from './rectify.ts';
import { designMean, fewest } from './tables.ts';

export interface GroupError {
  readonly item: string;
  readonly attribute: string;
  readonly value: string;
  readonly people: number;
  readonly synthetic: number;
  /** Synthetic minus human mean, as a share of the scale. */
  readonly bias: number;
  /** The 95% interval of this group alone. */
  readonly interval: Interval;
  /** The bias, shrunk toward that of the other groups of the attribute. */
  readonly shrunk: number;
  /** p over all groups of all items, adjusted by Holm's method. */
  readonly adjusted: number;
}

type Answer = Coded & { readonly attributes: Readonly<Record<string, string>> };

/** The answers to one item in both files. */
export interface ItemAnswers {
  readonly variable: Variable;
  readonly mine: readonly Answer[];
  readonly theirs: readonly Answer[];
}

const level = 0.95;

export function groupErrors(items: readonly ItemAnswers[], attributes: readonly string[]): readonly GroupError[] {
  const groups = items.flatMap((item) => attributes.flatMap((attribute) => biasesOf(item, attribute)));
  const adjusted = holm(groups.map(({ p }) => p));
  return groups.map(({ p: _, ...group }, i) => ({ ...group, adjusted: adjusted[i] }));
}

type Tested = Omit<GroupError, 'adjusted'> & { readonly p: number };

/** Returns the difference in the mean of a scale, or in the share of the most frequent option, for each group that both files contain. */
function biasesOf({ variable, mine, theirs }: ItemAnswers, attribute: string): readonly Tested[] {
  const { item, labels, kind } = variable;
  const shares = sharesOf(theirs, labels.length);
  const top = shares.indexOf(Math.max(...shares)) + 1;
  const scaleCode = (code: number) => (kind === 'scale' ? (code - 1) / Math.max(1, labels.length - 1) : code === top ? 1 : 0);
  const meanOf = (answers: readonly Answer[]) => designMean(answers.map(({ code, weight }) => ({ value: scaleCode(code), weight })));
  const values = [...new Set(theirs.map(({ attributes }) => attributes[attribute] ?? ''))];
  const groups = values.flatMap((value) => {
    const inGroup = ({ attributes }: Answer) => attributes[attribute] === value;
    const [synthetic, people] = [mine.filter(inGroup), theirs.filter(inGroup)];
    if (synthetic.length < fewest || people.length < fewest) return [];
    const [a, b] = [meanOf(synthetic), meanOf(people)];
    const error = Math.max(1e-9, Math.hypot(a.error, b.error));
    const df = welchDf([a, b]);
    return [{ value, people: b.n, synthetic: a.n, bias: a.value - b.value, error, df }];
  });
  if (groups.length === 0) return [];
  const { shrunk } = poolBiases(groups);
  return groups.map(({ error, df, ...group }, i): Tested => {
    const half = tQuantile(0.5 + level / 2, df) * error;
    return {
      ...{ item, attribute, ...group, shrunk: shrunk[i], p: tTwoSided(group.bias / error, df) },
      interval: [group.bias - half, group.bias + half],
    };
  });
}

/** Computes Welch–Satterthwaite degrees of freedom for the difference of two means. */
function welchDf(sides: readonly { readonly error: number; readonly n: number }[]): number {
  const squares = sides.map(({ error }) => error ** 2);
  const total = squares.reduce((sum, value) => sum + value, 0);
  const parts = squares.reduce((sum, value, i) => sum + value ** 2 / Math.max(1, sides[i].n - 1), 0);
  return parts === 0 ? Math.max(1, Math.min(...sides.map(({ n }) => n)) - 1) : total ** 2 / parts;
}
