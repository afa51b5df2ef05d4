/**
 * @file Compares synthetic answers with those of people, by item and by group. Lists the limits of the population first, then how the
 * people's answers correct the synthetic ones, and how many people a desired precision needs.
 */

import { normalCdf } from '@ludus-agents/evaluation/internal/scoring/statistics/distributions';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { holm } from '@ludus-agents/evaluation/internal/scoring/statistics/multiple';
import { rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { AnswerRow } from './answers.ts';
import { disclosureSentence } from './check-sentences.ts';
import { average, correlation, disclosedItems } from './checks.ts';
import { type CompositionRow, compositionOf } from './composition.ts';
import { type Coded, type Distances, distances, type NoiseFloor, noiseFloor, sharesOf } from './distances.ts';
import { type AnswerFile, firstWaves, type Variable } from './files.ts';
import { cannotStandFor, claimLevel, otherPeople } from './findings.ts';
import { type GroupError, groupErrors } from './groups.ts';
import type { HumanPerson } from './human.ts';
import { type PersonPair, type Prediction, peopleNeeded, type Rectified, rectify, syntheticFigure } from './rectify.ts';

export interface ItemComparison extends Distances {
  readonly item: string;
  readonly labels: readonly string[];
  readonly people: number;
  readonly synthetic: number;
  readonly humanShares: readonly number[];
  readonly syntheticShares: readonly number[];
  readonly interval: Interval;
  readonly noise: NoiseFloor;
  /** p over all items of the comparison, adjusted by Holm's method. */
  readonly adjusted: number;
  /** The distance of respondents who always answer the middle, and of those who answer uniformly. */
  readonly floors: { readonly middle: number; readonly even: number };
  /** How much farther the answers to a scale are from people's than its middle is, as a share of the scale. Null for other items. */
  readonly overMiddle: OverMiddle | null;
  readonly rectified: readonly RectifiedShare[];
}

export interface OverMiddle {
  readonly difference: number;
  readonly interval: Interval;
  /** The probability of such a difference if the answers are no farther. */
  readonly p: number;
}

export interface RectifiedShare extends Rectified {
  /** The option that the share belongs to, or "mean" for a scale. */
  readonly of: string;
  /** The number of people needed for an interval of ±5 points, or ± one twentieth of the scale: with the synthetic answers, and without. */
  readonly needed: { readonly withSynthetic: number; readonly peopleAlone: number };
}

/** Correlations between scales in both files. */
export interface CorrelationDifference {
  readonly pairs: number;
  readonly meanDifference: number;
  readonly people: number;
  readonly synthetic: number;
  /** The probability of such a difference if both files are drawn from the same people, by permutation. */
  readonly p: number;
}

export interface SurveyComparison {
  /** The limits of the population, worst first. */
  readonly cannot: readonly string[];
  readonly pairing: 'person' | 'attributes' | 'none';
  readonly people: number;
  readonly synthetic: number;
  /** The composition of respondents compared with the people, by attributes that both files contain. */
  readonly composition: readonly CompositionRow[];
  readonly items: readonly ItemComparison[];
  readonly correlations: CorrelationDifference | null;
  readonly groups: readonly GroupError[];
}

const level = 0.95;

export function compareAnswers(file: AnswerFile, people: readonly HumanPerson[], seed: Seed = 0): SurveyComparison {
  const waves = firstWaves(file.rows);
  const first = file.rows.filter(({ item, wave }) => wave === waves.get(item));
  const synthetic = [...Map.groupBy(first, ({ person }) => person).values()];
  const ids = new Set(synthetic.map((rows) => rows[0]?.person));
  const met = people.filter(({ person }) => ids.has(person)).length;
  const shared = Object.keys(people[0]?.attributes ?? {});
  const pairing = met >= people.length / 2 && met > 1 ? 'person' : shared.length > 0 ? 'attributes' : 'none';
  const requestedVariables = file.variables.filter(
    ({ item, kind }) => kind !== 'open' && kind !== 'multiple' && people.some(({ codes }) => codes.has(item)),
  );
  const context: Context = { synthetic, people, pairing, shared, seed };
  const raw = requestedVariables.flatMap((variable) => compareItem(variable, context, requestedVariables.length));
  const adjusted = holm(raw.map(({ noise }) => noise.p));
  const items = raw.map((item, i) => ({ ...item, adjusted: adjusted[i] }));
  const correlations = correlationsOf(
    requestedVariables.filter(({ kind }) => kind === 'scale'),
    context,
  );
  const groups = groupErrors(
    requestedVariables.map((variable) => ({
      variable,
      mine: syntheticAnswers(variable, context),
      theirs: humanAnswers(variable, context),
    })),
    shared,
  );
  const composition = compositionOf(synthetic, people);
  const all = { pairing, people: people.length, synthetic: synthetic.length, composition, items, correlations, groups } as const;
  const disclosed = disclosedItems(
    requestedVariables.map(({ item }) => ({ id: item })),
    file.attributes,
  ).map(disclosureSentence);
  const answerless = `The file of people has no answers to these items (${file.variables.map(({ item }) => item).join(', ')}), so only their attributes are compared. To compare answers, add a column per item.`;
  return {
    cannot: [...disclosed, ...(requestedVariables.length === 0 ? [answerless] : cannotStandFor(all)), ...otherPeople(composition)],
    ...all,
  };
}

interface Context {
  /** The rows of each synthetic person. */
  readonly synthetic: readonly (readonly AnswerRow[])[];
  readonly people: readonly HumanPerson[];
  readonly pairing: SurveyComparison['pairing'];
  readonly shared: readonly string[];
  readonly seed: Seed;
}

type SyntheticAnswer = Coded & { readonly person: string; readonly attributes: Readonly<Record<string, string>> };

function syntheticAnswers({ item }: Variable, { synthetic }: Context): readonly SyntheticAnswer[] {
  return synthetic.flatMap((rows) => {
    const row = rows.find((row) => row.item === item && row.status === 'answered' && row.codes.length > 0);
    return row === undefined ? [] : [{ code: row.codes[0], weight: row.weight, person: row.person, attributes: row.attributes }];
  });
}

function humanAnswers({ item }: Variable, { people }: Context): readonly (Coded & HumanPerson)[] {
  return people.flatMap((person) => {
    const code = person.codes.get(item)?.[0];
    return code === undefined ? [] : [{ ...person, code }];
  });
}

/** A small p is measured again with enough draws that it can pass Holm's correction for all items. */
function noiseOf(mine: readonly Coded[], theirs: readonly Coded[], { options, seed, items }: NoiseQuestion): NoiseFloor {
  const noise = noiseFloor(mine, theirs, options, { seed });
  return noise.p > 0.02 ? noise : noiseFloor(mine, theirs, options, { seed, draws: Math.max(199, Math.ceil((2 * items) / claimLevel)) });
}

interface NoiseQuestion {
  readonly options: number;
  readonly seed: Seed;
  /** The number of compared items. */
  readonly items: number;
}

function compareItem(variable: Variable, context: Context, count: number): readonly Omit<ItemComparison, 'adjusted'>[] {
  const { item, labels } = variable;
  const [mine, theirs] = [syntheticAnswers(variable, context), humanAnswers(variable, context)];
  const options = labels.length;
  if (mine.length < 2 || theirs.length < 2 || options < 2) return [];
  const [p, q] = [sharesOf(mine, options), sharesOf(theirs, options)];
  const middle = labels.map((_, i) => (i === Math.ceil(options / 2) - 1 ? 1 : 0));
  const even = labels.map(() => 1 / options);
  const isScale = variable.kind === 'scale';
  const far = (shares: readonly number[]) => (isScale ? distances(shares, q).wasserstein : distances(shares, q).totalVariation);
  return [
    {
      ...{ item, labels, people: theirs.length, synthetic: mine.length, humanShares: q, syntheticShares: p },
      ...distances(p, q),
      interval: distanceInterval(mine, theirs, options, { seed: context.seed, isScale }),
      noise: noiseOf(mine, theirs, { options, seed: context.seed, items: count }),
      floors: { middle: far(middle), even: far(even) },
      overMiddle: isScale ? overMiddle(mine, theirs, { middle, seed: context.seed }) : null,
      rectified: rectifiedShares(variable, { mine, theirs, context }),
    },
  ];
}

/** Returns the interval of the item kind's distance, by resampling people. */
function distanceInterval(
  mine: readonly Coded[],
  theirs: readonly Coded[],
  options: number,
  { seed, isScale, draws = 200 }: { readonly seed: Seed; readonly isScale: boolean; readonly draws?: number },
): Interval {
  const dice = rng(seed, 'distance');
  const again = (list: readonly Coded[]) =>
    sharesOf(
      list.map(() => list[Math.floor(dice.next() * list.length)]),
      options,
    );
  const values = Array.from({ length: draws }, () => {
    const far = distances(again(mine), again(theirs));
    return isScale ? far.wasserstein : far.totalVariation;
  }).sort((a, b) => a - b);
  return [values[Math.floor(0.025 * draws)], values[Math.ceil(0.975 * draws) - 1]];
}

/** Returns the distance minus that of the middle, by resampling people. */
function overMiddle(
  mine: readonly Coded[],
  theirs: readonly Coded[],
  { middle, seed, draws = 400 }: { readonly middle: readonly number[]; readonly seed: Seed; readonly draws?: number },
): OverMiddle {
  const dice = rng(seed, 'over-middle');
  const shares = (list: readonly Coded[]) => sharesOf(list, middle.length);
  const again = (list: readonly Coded[]) => shares(list.map(() => list[Math.floor(dice.next() * list.length)]));
  const excess = (p: readonly number[], q: readonly number[]) => distances(p, q).wasserstein - distances(middle, q).wasserstein;
  const difference = excess(shares(mine), shares(theirs));
  const values = Array.from({ length: draws }, () => excess(again(mine), again(theirs))).sort((a, b) => a - b);
  const mean = average(values);
  const error = Math.sqrt(average(values.map((value) => (value - mean) ** 2)));
  const p = error > 0 ? 1 - normalCdf(difference / error) : difference > 0 ? 0 : 1;
  return { difference, interval: [values[Math.floor(0.025 * draws)], values[Math.ceil(0.975 * draws) - 1]], p };
}

interface Answers {
  readonly mine: readonly SyntheticAnswer[];
  readonly theirs: readonly (Coded & HumanPerson)[];
  readonly context: Context;
}

function rectifiedShares(variable: Variable, answers: Answers): readonly RectifiedShare[] {
  const { labels, kind } = variable;
  const wanted: readonly (readonly [string, (code: number) => number, Interval])[] =
    kind === 'scale'
      ? [['mean', (code) => code, [1, labels.length]]]
      : labels.map((label, i) => [label, (code: number) => (code === i + 1 ? 1 : 0), [0, 1]] as const);
  return wanted.map(([of, value, range]) => {
    const { pairs, others } = predictionsFor(value, answers);
    const rectified = rectify(pairs, others, level, range);
    const mean = average(pairs.map(({ answer }) => answer));
    const spread = average(pairs.map(({ answer }) => (answer - mean) ** 2));
    const plan = { half: 0.05 * (range[1] - range[0]), variance: spread, synthetic: others.length };
    const r = Math.max(0, rectified.correlation ?? 0);
    return {
      of,
      ...rectified,
      synthetic: syntheticFigure(
        answers.mine.map(({ code, weight }) => ({ predicted: value(code), weight })),
        level,
        range,
      ),
      needed: { withSynthetic: peopleNeeded({ ...plan, correlation: r }), peopleAlone: peopleNeeded({ ...plan, correlation: 0 }) },
    };
  });
}

/**
 * Returns a prediction for each person: the answer of their own twin, or the mean of similar ones. Everyone who answered counts: a person
 * whose twin did not answer is predicted by the mean of all twins.
 */
function predictionsFor(
  value: (code: number) => number,
  { mine, theirs, context }: Answers,
): { readonly pairs: readonly PersonPair[]; readonly others: readonly Prediction[] } {
  const all =
    mine.reduce((sum, syntheticAnswer) => sum + syntheticAnswer.weight * value(syntheticAnswer.code), 0) /
    mine.reduce((sum, syntheticAnswer) => sum + syntheticAnswer.weight, 0);
  if (context.pairing === 'person') {
    const twins = new Map(mine.map((syntheticAnswer) => [syntheticAnswer.person, value(syntheticAnswer.code)]));
    const answered = new Set(theirs.map(({ person }) => person));
    return {
      pairs: theirs.map(({ code, weight, person }) => ({ answer: value(code), predicted: twins.get(person) ?? all, weight })),
      others: mine.filter(({ person }) => !answered.has(person)).map(({ code, weight }) => ({ predicted: value(code), weight })),
    };
  }
  const keyOf = (attributes: Readonly<Record<string, string>>) => context.shared.map((name) => attributes[name] ?? '').join('\u0000');
  const cells = new Map<string, { sum: number; weight: number }>();
  if (context.pairing === 'attributes')
    for (const { code, weight, attributes } of mine) {
      const cell = cells.get(keyOf(attributes)) ?? { sum: 0, weight: 0 };
      cell.sum += weight * value(code);
      cell.weight += weight;
      cells.set(keyOf(attributes), cell);
    }
  const predictFor = (attributes: Readonly<Record<string, string>>) => {
    const cell = cells.get(keyOf(attributes));
    return cell === undefined ? all : cell.sum / cell.weight;
  };
  return {
    pairs: theirs.map(({ code, weight, attributes }) => ({ answer: value(code), predicted: predictFor(attributes), weight })),
    others: mine.map(({ weight, attributes }) => ({ predicted: predictFor(attributes), weight })),
  };
}

function correlationsOf(scales: readonly Variable[], context: Context): SurveyComparison['correlations'] {
  const mine = scales.map(({ item }) =>
    context.synthetic.map((rows) => rows.find((row) => row.item === item && row.status === 'answered')?.codes[0] ?? null),
  );
  const theirs = scales.map(({ item }) => context.people.map(({ codes }) => codes.get(item)?.[0] ?? null));
  const pairs = scales.flatMap((_, i) =>
    scales.slice(i + 1).flatMap((__, k) => {
      const j = i + 1 + k;
      const [ownCorrelation, other] = [correlation(mine[i] ?? [], mine[j] ?? []), correlation(theirs[i] ?? [], theirs[j] ?? [])];
      // Answers that never vary have no correlation.
      return other === null ? [] : [[ownCorrelation ?? 0, other] as const];
    }),
  );
  if (pairs.length === 0) return null;
  const meanDifference = average(pairs.map(([a, b]) => Math.abs(a - b)));
  return {
    pairs: pairs.length,
    meanDifference,
    people: average(pairs.map(([, b]) => Math.abs(b))),
    synthetic: average(pairs.map(([a]) => Math.abs(a))),
    p: permutedShare(mine, theirs, { seen: meanDifference, seed: context.seed }),
  };
}

/** Returns the share of permutations of people between the files in which correlations differ at least as much as observed. */
function permutedShare(
  mine: readonly (readonly (number | null)[])[],
  theirs: readonly (readonly (number | null)[])[],
  { seen, seed, draws = 199 }: { readonly seen: number; readonly seed: Seed; readonly draws?: number },
): number {
  const size = mine[0]?.length ?? 0;
  const columns = mine.map((column, i) => [...column, ...theirs[i]]);
  const dice = rng(seed, 'correlations');
  const people = Array.from(columns[0] ?? [], (_, i) => i);
  let asFar = 0;
  for (let draw = 0; draw < draws; draw++) {
    const order = dice.shuffle(people);
    const part = (column: readonly (number | null)[], from: number, to: number) => order.slice(from, to).map((at) => column[at]);
    const [left, right] = [columns.map((column) => part(column, 0, size)), columns.map((column) => part(column, size, people.length))];
    const differences = columns.flatMap((_, i) =>
      columns.slice(i + 1).flatMap((__, k) => {
        const [a, b] = [correlation(left[i], left[i + 1 + k]), correlation(right[i], right[i + 1 + k])];
        return a === null && b === null ? [] : [Math.abs((a ?? 0) - (b ?? 0))];
      }),
    );
    if (differences.length > 0 && average(differences) >= seen - 1e-12) asFar++;
  }
  return (1 + asFar) / (draws + 1);
}
