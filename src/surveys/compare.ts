/**
 * @file Synthetic answers held against those of people, item by item and group by group. What the population cannot stand for comes first;
 * then what the people's answers make of the synthetic ones, and how many people a wanted precision takes.
 */

import { rng, type Seed } from '../core/index.ts';
import { normalQuantile } from '../scoring/statistics/distributions.ts';
import type { Interval } from '../scoring/statistics/mean.ts';
import { holm } from '../scoring/statistics/multiple.ts';
import type { AnswerRow } from './answers.ts';
import { average, correlation } from './checks.ts';
import { type CompositionRow, compositionOf } from './composition.ts';
import { type Coded, type Distances, distances, type NoiseFloor, noiseFloor, sharesOf } from './distances.ts';
import { type AnswerFile, firstWaves, type Variable } from './files.ts';
import type { HumanPerson } from './human.ts';
import { type PersonPair, type Prediction, peopleNeeded, poolBiases, type Rectified, rectify } from './rectify.ts';
import { designMean, fewest } from './tables.ts';

export interface ItemComparison extends Distances {
  readonly item: string;
  readonly labels: readonly string[];
  readonly people: number;
  readonly synthetic: number;
  readonly humanShares: readonly number[];
  readonly syntheticShares: readonly number[];
  readonly interval: Interval;
  readonly noise: NoiseFloor;
  /** p over all items of the comparison, by Holm. */
  readonly adjusted: number;
  /** The distance of somebody who always answers the middle, and of one who answers evenly. */
  readonly floors: { readonly middle: number; readonly even: number };
  readonly rectified: readonly RectifiedShare[];
}

export interface RectifiedShare extends Rectified {
  /** The option whose share it is, or "mean" of a scale. */
  readonly of: string;
  /** People needed for an interval of five points, or a twentieth of the scale, to each side: with the synthetic answers, and without. */
  readonly needed: { readonly withSynthetic: number; readonly peopleAlone: number };
}

export interface GroupError {
  readonly item: string;
  readonly attribute: string;
  readonly value: string;
  readonly people: number;
  readonly synthetic: number;
  /** Synthetic less human mean, as a share of the scale. */
  readonly bias: number;
  readonly interval: Interval;
  readonly shrunk: number;
}

export interface SurveyComparison {
  /** What the population cannot stand for, the worst first. */
  readonly cannot: readonly string[];
  readonly pairing: 'person' | 'attributes' | 'none';
  readonly people: number;
  readonly synthetic: number;
  /** Who answered, beside the people: by attributes that both files have. */
  readonly composition: readonly CompositionRow[];
  readonly items: readonly ItemComparison[];
  readonly correlations: {
    readonly pairs: number;
    readonly meanDifference: number;
    readonly people: number;
    readonly synthetic: number;
  } | null;
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
  const asked = file.variables.filter(
    ({ item, kind }) => kind !== 'open' && kind !== 'multiple' && people.some(({ codes }) => codes.has(item)),
  );
  const context: Context = { synthetic, people, pairing, shared, seed };
  const raw = asked.flatMap((variable) => compareItem(variable, context));
  const adjusted = holm(raw.map(({ noise }) => noise.p));
  const items = raw.map((one, i) => ({ ...one, adjusted: adjusted[i]! }));
  const correlations = correlationsOf(
    asked.filter(({ kind }) => kind === 'scale'),
    context,
  );
  const groups = asked.flatMap((variable) => groupErrors(variable, context));
  const composition = compositionOf(synthetic, people);
  const all = { pairing, people: people.length, synthetic: synthetic.length, composition, items, correlations, groups } as const;
  const answerless = `Any answer: the people in the other file have answered no item of these (${file.variables.map(({ item }) => item).join(', ')}), so that only who they are can be compared. It needs what people answered, in a column for each item.`;
  return { cannot: [...(asked.length === 0 ? [answerless] : cannotStandFor(all)), ...otherPeople(composition)], ...all };
}

/** Attributes in which those who answered are other people than those they stand for. */
function otherPeople(composition: readonly CompositionRow[]): readonly string[] {
  return composition
    .filter(({ difference }) => difference === null || difference > 0.1)
    .map(
      ({ attribute, difference }) =>
        `${attribute}: those who answered are other people (standardised difference ${difference === null ? 'without bound' : difference.toFixed(2)}).`,
    );
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
    const row = rows.find((one) => one.item === item && one.status === 'answered' && one.codes.length > 0);
    return row === undefined ? [] : [{ code: row.codes[0]!, weight: row.weight, person: row.person, attributes: row.attributes }];
  });
}

function humanAnswers({ item }: Variable, { people }: Context): readonly (Coded & HumanPerson)[] {
  return people.flatMap((person) => {
    const code = person.codes.get(item)?.[0];
    return code === undefined ? [] : [{ ...person, code }];
  });
}

function compareItem(variable: Variable, context: Context): readonly Omit<ItemComparison, 'adjusted'>[] {
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
      noise: noiseFloor(mine, theirs, options, { seed: context.seed }),
      floors: { middle: far(middle), even: far(even) },
      rectified: rectifiedShares(variable, { mine, theirs, context }),
    },
  ];
}

/** The interval of the distance that the item's kind calls for, by drawing people anew. */
function distanceInterval(
  mine: readonly Coded[],
  theirs: readonly Coded[],
  options: number,
  { seed, isScale, draws = 200 }: { readonly seed: Seed; readonly isScale: boolean; readonly draws?: number },
): Interval {
  const dice = rng(seed, 'distance');
  const again = (list: readonly Coded[]) =>
    sharesOf(
      list.map(() => list[Math.floor(dice.next() * list.length)]!),
      options,
    );
  const values = Array.from({ length: draws }, () => {
    const far = distances(again(mine), again(theirs));
    return isScale ? far.wasserstein : far.totalVariation;
  }).sort((a, b) => a - b);
  return [values[Math.floor(0.025 * draws)]!, values[Math.ceil(0.975 * draws) - 1]!];
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
    const found = rectify(pairs, others, level, range);
    const mean = average(pairs.map(({ answer }) => answer));
    const spread = average(pairs.map(({ answer }) => (answer - mean) ** 2));
    const plan = { half: 0.05 * (range[1] - range[0]), variance: spread, synthetic: others.length };
    const r = Math.max(0, found.correlation ?? 0);
    return {
      of,
      ...found,
      needed: { withSynthetic: peopleNeeded({ ...plan, correlation: r }), peopleAlone: peopleNeeded({ ...plan, correlation: 0 }) },
    };
  });
}

/** What is predicted for each person: the answer of their own twin, or the mean of those who are alike. */
function predictionsFor(
  value: (code: number) => number,
  { mine, theirs, context }: Answers,
): { readonly pairs: readonly PersonPair[]; readonly others: readonly Prediction[] } {
  if (context.pairing === 'person') {
    const twins = new Map(mine.map((one) => [one.person, value(one.code)]));
    const met = theirs.filter(({ person }) => twins.has(person));
    const known = new Set(met.map(({ person }) => person));
    return {
      pairs: met.map(({ code, weight, person }) => ({ answer: value(code), predicted: twins.get(person) as number, weight })),
      others: mine.filter(({ person }) => !known.has(person)).map(({ code, weight }) => ({ predicted: value(code), weight })),
    };
  }
  const all = mine.reduce((sum, one) => sum + one.weight * value(one.code), 0) / mine.reduce((sum, one) => sum + one.weight, 0);
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
      const [own, other] = [correlation(mine[i] ?? [], mine[j] ?? []), correlation(theirs[i] ?? [], theirs[j] ?? [])];
      // Answers that never vary go together with nothing.
      return other === null ? [] : [[own ?? 0, other] as const];
    }),
  );
  if (pairs.length === 0) return null;
  return {
    pairs: pairs.length,
    meanDifference: average(pairs.map(([a, b]) => Math.abs(a - b))),
    people: average(pairs.map(([, b]) => Math.abs(b))),
    synthetic: average(pairs.map(([a]) => Math.abs(a))),
  };
}

/** The mean of a scale, or the share of what most people chose, in each group that both have. */
function groupErrors(variable: Variable, context: Context): readonly GroupError[] {
  const { item, labels, kind } = variable;
  const [mine, theirs] = [syntheticAnswers(variable, context), humanAnswers(variable, context)];
  const shares = sharesOf(theirs, labels.length);
  const top = shares.indexOf(Math.max(...shares)) + 1;
  const value = (code: number) => (kind === 'scale' ? (code - 1) / Math.max(1, labels.length - 1) : code === top ? 1 : 0);
  const z = normalQuantile(0.5 + level / 2);
  return context.shared.flatMap((attribute) => {
    const values = [...new Set(theirs.map(({ attributes }) => attributes[attribute] ?? ''))];
    const found = values.flatMap((one) => {
      const inGroup = (person: { readonly attributes: Readonly<Record<string, string>> }) => person.attributes[attribute] === one;
      const [a, b] = [mine.filter(inGroup), theirs.filter(inGroup)];
      if (a.length < fewest || b.length < fewest) return [];
      const of = (list: readonly Coded[]) => designMean(list.map(({ code, weight }) => ({ value: value(code), weight })));
      const [own, other] = [of(a), of(b)];
      const error = Math.max(1e-9, Math.hypot(own.error, other.error));
      return [{ value: one, people: b.length, synthetic: a.length, bias: own.value - other.value, error }];
    });
    if (found.length === 0) return [];
    const { shrunk } = poolBiases(found);
    return found.map(
      ({ error, ...one }, i): GroupError => ({
        ...{ item, attribute, ...one },
        interval: [one.bias - z * error, one.bias + z * error],
        shrunk: shrunk[i]!,
      }),
    );
  });
}

const points = (share: number) => `${(100 * share).toFixed(1)} points`;

/** Sentences, the worst first. What was not found was not shown to be right, and the last sentence says how far one could see. */
function cannotStandFor({ items, correlations, groups, people }: Omit<SurveyComparison, 'cannot'>): readonly string[] {
  const said: { readonly size: number; readonly text: string }[] = [];
  for (const {
    item,
    labels,
    adjusted,
    totalVariation,
    humanShares,
    syntheticShares,
    wasserstein,
    floors,
    deviationRatio,
    noise,
  } of items) {
    const gaps = labels.map((_, i) => syntheticShares[i]! - humanShares[i]!);
    const worst = gaps.reduce((best, gap, i) => (Math.abs(gap) > Math.abs(gaps[best]!) ? i : best), 0);
    if (adjusted < 0.05)
      said.push({
        size: totalVariation,
        text: `${item}: ${points(totalVariation)} of the answers are other ones than people give (chance: up to ${points(noise.totalVariation)}); "${labels[worst]}" has ${points(syntheticShares[worst]!)} instead of ${points(humanShares[worst]!)}.`,
      });
    if (adjusted < 0.05 && wasserstein >= floors.middle && labels.length > 2)
      said.push({ size: wasserstein, text: `${item}: always answering the middle would be nearer to people.` });
    if (deviationRatio !== null && deviationRatio < 0.7)
      said.push({
        size: 1 - deviationRatio,
        text: `${item}: the synthetic people are too much alike; their spread is ${deviationRatio.toFixed(2)} of people’s.`,
      });
  }
  if (correlations !== null && correlations.meanDifference > 0.15)
    said.push({
      size: correlations.meanDifference,
      text: `How answers go together: correlations are ${correlations.meanDifference.toFixed(2)} off on average (people ${correlations.people.toFixed(2)}, synthetic ${correlations.synthetic.toFixed(2)}).`,
    });
  for (const { item, attribute, value, bias, interval, shrunk } of groups)
    if ((interval[0] > 0 || interval[1] < 0) && Math.abs(shrunk) > 0.05)
      said.push({
        size: Math.abs(shrunk),
        text: `${item} among ${attribute} ${value}: ${points(bias)} off, ${points(shrunk)} after drawing towards other groups.`,
      });
  const order = said.toSorted((a, b) => b.size - a.size).map(({ text }) => text);
  const seen = items.length === 0 ? 0 : Math.max(...items.map(({ noise }) => noise.totalVariation));
  return [...order, `With ${people} people, differences of less than ${points(seen)} of the answers could not be told from chance.`];
}
