/**
 * @file Effects of an experiment: differences within blocks with clustered errors, differences within people, and crossovers with their
 * periods; and the power to detect them.
 */

import { tQuantile, tTwoSided } from '@ludus-agents/evaluation/internal/scoring/statistics/distributions';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { holm } from '@ludus-agents/evaluation/internal/scoring/statistics/multiple';
import type { AnswerRow } from './answers.ts';
import type { Experiment } from './experiment.ts';
import { designMean } from './tables.ts';

/** The result of comparing two groups of outcomes; null if too few are left. */
export type EffectFigures = Omit<EffectRow, 'arm' | 'subgroup' | 'adjusted'>;

export interface EffectRow {
  readonly arm: string;
  readonly subgroup: string | null;
  readonly effect: number;
  readonly error: number;
  readonly interval: Interval;
  readonly p: number;
  /** p over all subgroups, adjusted by Holm's method. Equals p for the effect on all. */
  readonly adjusted: number;
  readonly people: number;
  readonly clusters: number;
}

export interface ArmRows {
  readonly arm: string;
  readonly rows: readonly AnswerRow[];
}

/** The outcome of one arm: the mean change in a panel, otherwise the mean answer. */
export interface ArmMean {
  readonly arm: string;
  /** Null if nobody answered. */
  readonly mean: number | null;
  /** Null if fewer than two people answered. */
  readonly interval: Interval | null;
  /** People with an outcome, and people of the arm without one. */
  readonly people: number;
  readonly missing: number;
}

/** Returns the mean of every arm. A crossover has none, because every person is in both arms. */
export function armMeans(experiment: Experiment, arms: readonly ArmRows[], { waves }: EffectOptions = { waves: [] }): readonly ArmMean[] {
  if (experiment.design === 'crossover') return [];
  return arms.map(({ arm, rows }): ArmMean => {
    const outcomes = outcomesOf(experiment, rows, waves);
    const all = new Set(rows.map(({ person }) => person)).size;
    const { value, interval } = outcomes.length === 0 ? { value: null, interval: null } : designMean(outcomes, 1 - experiment.alpha);
    // A single cluster gives no information about differences between clusters.
    const clusters = new Set(outcomes.map(({ cluster }) => cluster)).size;
    return { arm, mean: value, interval: clusters < 2 ? null : interval, people: outcomes.length, missing: all - outcomes.length };
  });
}

export interface EffectOptions {
  /** The waves of the questionnaire, and the one from which arms differ. */
  readonly waves: readonly string[];
}

/** Returns the effect of every arm compared with the first, on all people and in the subgroups. */
export function effectsOf(
  experiment: Experiment,
  arms: readonly ArmRows[],
  { waves }: EffectOptions = { waves: [] },
): readonly EffectRow[] {
  const [control, ...treated] = arms.map(({ arm, rows }) => ({ arm, outcomes: outcomesOf(experiment, rows, waves) }));
  if (experiment.design === 'crossover') return crossoverRows(experiment, control, treated[0]);
  const compare = experiment.design === 'within' ? pairedEffect : blockedEffect;
  return treated.flatMap(({ arm, outcomes }) =>
    withSubgroups(experiment, [control.outcomes, outcomes], (a, b) => compare(a, b, experiment.alpha)).map((row) => ({ arm, ...row })),
  );
}

/** Returns the results for everyone, then for every subgroup. The p-values of subgroups are adjusted by Holm's method. */
function withSubgroups(
  { subgroups }: Experiment,
  [control, treated]: readonly [readonly Outcome[], readonly Outcome[]],
  compare: (control: readonly Outcome[], treated: readonly Outcome[]) => EffectFigures | null,
): readonly Omit<EffectRow, 'arm'>[] {
  const whole = compare(control, treated);
  const parts = subgroups.flatMap((name) => {
    const values = [...new Set([...control, ...treated].map(({ attributes }) => attributes?.[name] ?? ''))].sort();
    return values.flatMap((value) => {
      const withLevel = (list: readonly Outcome[]) => list.filter(({ attributes }) => attributes?.[name] === value);
      const effectFigures = compare(withLevel(control), withLevel(treated));
      return effectFigures === null ? [] : [{ subgroup: `${name} ${value}`, ...effectFigures }];
    });
  });
  const adjusted = holm(parts.map(({ p }) => p));
  return [
    ...(whole === null ? [] : [{ subgroup: null, ...whole, adjusted: whole.p }]),
    ...parts.map((part, i) => ({ ...part, adjusted: adjusted[i] })),
  ];
}

export interface Outcome {
  readonly person: string;
  readonly value: number;
  readonly weight: number;
  readonly block: string;
  readonly cluster: string;
  readonly attributes?: Readonly<Record<string, string>>;
  /** In a crossover: the results of the first and the second period. */
  readonly periods?: readonly [number, number];
}

/** Returns one outcome per person: the answer, its change over the waves, or both periods of a crossover. */
function outcomesOf(experiment: Experiment, rows: readonly AnswerRow[], waves: readonly string[]): readonly Outcome[] {
  const { outcome, option, blocks, cluster, design, at } = experiment;
  const answerRows = rows.filter(({ item, status, codes }) => item === outcome && status === 'answered' && codes.length > 0);
  const scored = ({ codes, answer }: AnswerRow) => (option === '' ? codes[0] : answer.split('; ').includes(option) ? 1 : 0);
  const people = [...Map.groupBy(answerRows, ({ person }) => person).values()];
  const before = waves.indexOf(at) - 1;
  return people.flatMap((ownAnswerRows) => {
    const [{ person, attributes, weight }] = ownAnswerRows as [AnswerRow, ...AnswerRow[]];
    const inWave = (wave: string | undefined) => ownAnswerRows.filter((row) => row.wave === (wave ?? '')).map(scored)[0];
    const common = {
      person,
      attributes,
      weight,
      block: blocks.map((name) => attributes[name]).join('\u0000'),
      cluster: cluster === '' ? person : (attributes[cluster] ?? ''),
    };
    if (design === 'crossover') {
      const [first, second] = [inWave(periodNames[0]), inWave(periodNames[1])];
      return first === undefined || second === undefined ? [] : [{ ...common, value: (first - second) / 2, periods: [first, second] }];
    }
    const last = inWave(waves.at(-1));
    const baseline = before < 0 ? 0 : inWave(waves[before]);
    return last === undefined || baseline === undefined ? [] : [{ ...common, value: last - baseline }];
  });
}

/** The waves of a crossover. */
export const periodNames = ['period1', 'period2'] as const;

type Sequence = { readonly arm: string; readonly outcomes: readonly Outcome[] };

/**
 * Analyzes a crossover: `control` began with the first arm, `treated` with the second. Half the difference between a person's periods
 * contains the effect in one sequence and its opposite in the other; their common part is the period effect. Different sums indicate that
 * the first arm carries over.
 */
function crossoverRows(experiment: Experiment, control: Sequence, treated: Sequence): readonly EffectRow[] {
  const { alpha } = experiment;
  const turned = (list: readonly Outcome[]) => list.map((outcome) => ({ ...outcome, value: -outcome.value }));
  const sums = (list: readonly Outcome[]) =>
    list.map((outcome) => ({ ...outcome, value: (outcome.periods?.[0] ?? 0) + (outcome.periods?.[1] ?? 0) }));
  const effects = withSubgroups(experiment, [control.outcomes, treated.outcomes], (a, b) => blockedEffect(a, b, alpha));
  const period = blockedEffect(turned(control.outcomes), treated.outcomes, alpha);
  const carried = blockedEffect(sums(control.outcomes), sums(treated.outcomes), alpha);
  const extra = (arm: string, effectFigures: EffectFigures | null) =>
    effectFigures === null ? [] : [{ arm, subgroup: null, ...effectFigures, adjusted: effectFigures.p }];
  return [...effects.map((row) => ({ arm: treated.arm, ...row })), ...extra('(period)', period), ...extra('(carried over)', carried)];
}

/** Returns the mean difference within people. */
export function pairedEffect(control: readonly Outcome[], treated: readonly Outcome[], alpha: number): EffectFigures | null {
  const before = new Map(control.map((outcome) => [outcome.person, outcome]));
  const pairs = treated.flatMap((outcome) => {
    const ownOutcome = before.get(outcome.person);
    return ownOutcome === undefined ? [] : [{ value: outcome.value - ownOutcome.value, weight: outcome.weight, cluster: outcome.cluster }];
  });
  const clusters = new Set(pairs.map(({ cluster }) => cluster)).size;
  if (clusters < 2) return null;
  const { value, error } = designMean(pairs, 1 - alpha);
  return toEffect(value, error, { people: pairs.length, clusters, alpha });
}

/**
 * Returns the difference within blocks, weighted by the number of people. Errors are clustered (CR1), with one degree of freedom less than
 * the clusters.
 */
export function blockedEffect(control: readonly Outcome[], treated: readonly Outcome[], alpha: number): EffectFigures | null {
  const blocks = [...new Set(control.map(({ block }) => block))].filter((block) => treated.some((outcome) => outcome.block === block));
  const inBlocks = [...control, ...treated].filter(({ block }) => blocks.includes(block));
  const total = inBlocks.reduce((sum, { weight }) => sum + weight, 0);
  let effect = 0;
  const sums = new Map<string, number>();
  for (const block of blocks) {
    const share = inBlocks.filter((inBlock) => inBlock.block === block).reduce((sum, { weight }) => sum + weight, 0) / total;
    for (const [list, sign] of [[treated, 1] as const, [control, -1] as const]) {
      const outcomes = list.filter((outcome) => outcome.block === block);
      const weight = outcomes.reduce((sum, outcome) => sum + outcome.weight, 0);
      const mean = outcomes.reduce((sum, outcome) => sum + outcome.weight * outcome.value, 0) / weight;
      effect += sign * share * mean;
      for (const outcome of outcomes)
        sums.set(outcome.cluster, (sums.get(outcome.cluster) ?? 0) + (sign * share * outcome.weight * (outcome.value - mean)) / weight);
    }
  }
  const clusters = sums.size;
  const parameters = 2 * blocks.length;
  if (clusters < 3 || inBlocks.length <= parameters) return null;
  const squares = [...sums.values()].reduce((sum, value) => sum + value ** 2, 0);
  // People who are their own clusters lose a degree of freedom for each mean. Clusters that span both arms are the units themselves.
  const isSingle = clusters === inBlocks.length;
  const small = isSingle ? clusters / (clusters - parameters) : clusters / (clusters - 1);
  return toEffect(effect, Math.sqrt(small * squares), {
    people: inBlocks.length,
    clusters: isSingle ? clusters - parameters + 1 : clusters,
    alpha,
  });
}

function toEffect(
  effect: number,
  error: number,
  { people, clusters, alpha }: { people: number; clusters: number; alpha: number },
): EffectFigures {
  const half = tQuantile(1 - alpha / 2, clusters - 1) * error;
  const p = error === 0 ? (effect === 0 ? 1 : 0) : tTwoSided(effect / error, clusters - 1);
  return { effect, error, interval: [effect - half, effect + half], p, people, clusters };
}

/** Computes the power of a t test: a normal divided by the root of a chi-square, integrated over the latter. */
export function powerOfT({
  effect,
  n,
  alpha,
  paired,
}: {
  readonly effect: number;
  readonly n: number;
  readonly alpha: number;
  readonly paired: boolean;
}): number {
  const df = paired ? n - 1 : 2 * n - 2;
  if (df < 1) return 0;
  const shift = effect * Math.sqrt(paired ? n : n / 2);
  const edge = tQuantile(1 - alpha / 2, df);
  const points = 2000;
  const [low, high] = [Math.max(0, 1 - 8 / Math.sqrt(2 * df)), 1 + 8 / Math.sqrt(2 * df)];
  const log = (s: number) => (df - 1) * Math.log(s) - (df * s * s) / 2;
  const top = log(Math.sqrt(Math.max(1e-9, (df - 1) / df)) || 1e-9);
  let [sum, mass] = [0, 0];
  for (let i = 0; i <= points; i++) {
    const s = Math.max(1e-12, low + ((high - low) * i) / points);
    const weight = (i === 0 || i === points ? 1 : i % 2 === 1 ? 4 : 2) * Math.exp(log(s) - top);
    mass += weight;
    sum += weight * (normalAbove(edge * s - shift) + normalAbove(edge * s + shift));
  }
  return sum / mass;
}

function normalAbove(x: number): number {
  return tTwoSided(x, Infinity) / 2 + (x < 0 ? 1 - tTwoSided(x, Infinity) : 0);
}
