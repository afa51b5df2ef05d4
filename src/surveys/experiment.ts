/**
 * @file Experiments on a population: people in arms, balanced within blocks or each in every arm on the same dice; effects with intervals that
 * know of clusters; and a registration whose hash says what was planned before anybody was asked.
 */

import { type AgentSpec, canonical, Fault, hash, type Json, type JsonObject, rng, type Seed } from '../core/index.ts';
import { list, number, object, one, or, readAs, record, required, type Shape, text, whole, words } from '../core/shape.ts';
import { tQuantile, tTwoSided } from '../scoring/statistics/distributions.ts';
import type { Interval } from '../scoring/statistics/mean.ts';
import { holm } from '../scoring/statistics/multiple.ts';
import type { AnswerRow } from './answers.ts';
import { planSurvey, type SurveyPlan } from './plan.ts';
import { designMean } from './tables.ts';

export interface Experiment {
  readonly name: string;
  /** What each arm is told before the first item; the first arm is the control. */
  readonly arms: Readonly<Record<string, string>>;
  /** The item that decides, and the option that counts; without one it is the number on a scale. */
  readonly outcome: string;
  readonly option: string;
  /** between: each person is in one arm. within: each is in all of them, on the same dice. */
  readonly design: 'between' | 'within';
  readonly blocks: readonly string[];
  /** The attribute whose groups interact or were drawn together; people are independent without one. */
  readonly cluster: string;
  readonly subgroups: readonly string[];
  readonly hypothesis: string;
  readonly alpha: number;
  /** The smallest effect worth finding, in standard deviations. */
  readonly effect: number;
  readonly number: number;
  readonly seed: Seed;
}

const form: Shape<Experiment> = object<Experiment>(
  {
    name: or(words, 'experiment'),
    arms: required(record(text), 'what each arm is told; the first is the control'),
    outcome: required(words, 'the item that decides'),
    option: or(text, '', 'the option that counts; without one it is the number on a scale'),
    design: or(one('between', 'within'), 'between'),
    blocks: or(list(words), []),
    cluster: or(text, ''),
    subgroups: or(list(words), []),
    hypothesis: or(text, ''),
    alpha: or(number(0.0001, 0.5), 0.05),
    effect: or(number(0.01, 10), 0.5, 'the smallest effect worth finding, in standard deviations'),
    number: or(whole(4, 1_000_000), 128),
    seed: or(whole(0), 0),
  },
  { document: true },
);

export function readExperiment(input: Json, where = 'The experiment'): Experiment {
  const read = readAs(form, input, { where, called: 'an experiment' });
  if (Object.keys(read.arms).length < 2)
    throw new Fault('input', `${where} needs two arms or more, but has ${Object.keys(read.arms).length}.`);
  return read;
}

export interface ExperimentSetting {
  readonly questionnaire: Json;
  readonly population: Json;
  readonly agent: AgentSpec;
}

export interface PlannedArm {
  readonly arm: string;
  readonly survey: SurveyPlan;
  /** The people of the arm, by their ids. */
  readonly people: ReadonlySet<string>;
}

export interface PlannedExperiment {
  readonly experiment: Experiment;
  readonly registration: JsonObject;
  /** SHA-256 of the registration as canonical JSON. */
  readonly hash: string;
  readonly arms: readonly PlannedArm[];
  /** The chance to find the smallest effect, as it is planned. */
  readonly power: number;
}

export function planExperiment(experiment: Experiment, setting: ExperimentSetting): PlannedExperiment {
  const { arms, number: n, seed, design, blocks, subgroups, cluster } = experiment;
  const names = Object.keys(arms);
  const surveys = names.map((arm) => planSurvey({ ...setting, number: n, seed, told: arms[arm]! }));
  const { people, instrument } = surveys[0]!;
  const item = instrument.items.find(({ id }) => id === experiment.outcome);
  if (item === undefined)
    throw new Fault(
      'input',
      `The outcome "${experiment.outcome}" is no item; there are ${instrument.items.map(({ id }) => id).join(', ')}.`,
    );
  if (experiment.option !== '' ? !item.options.includes(experiment.option) : item.kind !== 'scale')
    throw new Fault('input', `The outcome "${item.id}" is ${item.kind}: name one of its options as "option": ${item.options.join(', ')}.`);
  const known = Object.keys(people.attributes[0] ?? {});
  for (const name of [...blocks, ...subgroups, ...(cluster === '' ? [] : [cluster])])
    if (!known.includes(name))
      throw new Fault('input', `The experiment names the attribute "${name}", but the population has ${known.join(', ')}.`);
  const assigned = assignment(
    people.attributes.map((row) => blocks.map((name) => row[name]).join('\u0000')),
    names.length,
    seed,
  );
  const registration = {
    ...(experiment as unknown as JsonObject),
    population: hash(setting.population),
    questionnaire: hash(setting.questionnaire),
    agent: setting.agent as unknown as Json,
    test: design === 'within' ? 'paired t' : 'difference within blocks, CR1 errors, t',
  };
  const registered = hash(registration);
  const planned = names.map((arm, a): PlannedArm => {
    const survey = surveys[a]!;
    const own = people.personas.map(({ id }) => id).filter((_, i) => design === 'within' || assigned[i] === a);
    const ids = new Set(own);
    // In a design between people only those of the arm are asked; within people the same dice are rolled in every arm.
    const casts = survey.plan.casts.filter((_, i) => design === 'within' || assigned[i] === a);
    const run = `${experiment.name}-${arm}-${registered.slice(0, 8)}`.replace(/[^\w.:-]/g, '-').slice(0, 80);
    return { arm, survey: { ...survey, run, plan: { ...survey.plan, name: run, casts } }, people: ids };
  });
  const power =
    design === 'within'
      ? powerOfT({ effect: experiment.effect, n, alpha: experiment.alpha, paired: true })
      : powerOfT({ effect: experiment.effect, n: Math.floor(n / names.length), alpha: experiment.alpha, paired: false });
  return { experiment, registration, hash: registered, arms: planned, power };
}

/** Arms dealt out within each block, as evenly as whole people allow. */
export function assignment(blocks: readonly string[], arms: number, seed: Seed): readonly number[] {
  const out = new Array<number>(blocks.length).fill(0);
  let next = 0;
  // Blocks whose size is no multiple of the arms go on where the one before ended, so that arms stay even over all.
  for (const [block, members] of Map.groupBy(
    blocks.map((_, i) => i),
    (i) => blocks[i]!,
  ))
    for (const i of rng(seed, 'arms', block).shuffle(members)) out[i] = next++ % arms;
  return out;
}

/** Fields in which two registrations differ. */
export function deviations(registered: JsonObject, now: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(registered), ...Object.keys(now)]);
  return [...names].filter((name) => canonical(registered[name] ?? null) !== canonical(now[name] ?? null));
}

export interface EffectRow {
  readonly arm: string;
  readonly subgroup: string | null;
  readonly effect: number;
  readonly error: number;
  readonly interval: Interval;
  readonly p: number;
  /** p over all subgroups, by Holm; the same as p for the effect on all. */
  readonly adjusted: number;
  readonly people: number;
  readonly clusters: number;
}

export interface ArmRows {
  readonly arm: string;
  readonly rows: readonly AnswerRow[];
}

/** The effect of every arm against the first, on all and in the subgroups. */
export function effectsOf(experiment: Experiment, arms: readonly ArmRows[]): readonly EffectRow[] {
  const [control, ...treated] = arms as [ArmRows, ...ArmRows[]];
  return treated.flatMap(({ arm, rows }) => {
    const whole = effectIn(experiment, control.rows, rows);
    const parts = experiment.subgroups.flatMap((name) => {
      const values = [...new Set([...control.rows, ...rows].map(({ attributes }) => attributes[name] ?? ''))].sort();
      return values.flatMap((value) => {
        const own = (list: readonly AnswerRow[]) => list.filter(({ attributes }) => attributes[name] === value);
        const found = effectIn(experiment, own(control.rows), own(rows));
        return found === null ? [] : [{ subgroup: `${name} ${value}`, ...found }];
      });
    });
    const adjusted = holm(parts.map(({ p }) => p));
    return [
      ...(whole === null ? [] : [{ arm, subgroup: null, ...whole, adjusted: whole.p }]),
      ...parts.map((part, i) => ({ arm, ...part, adjusted: adjusted[i]! })),
    ];
  });
}

interface Outcome {
  readonly person: string;
  readonly value: number;
  readonly weight: number;
  readonly block: string;
  readonly cluster: string;
}

function effectIn(
  experiment: Experiment,
  control: readonly AnswerRow[],
  treated: readonly AnswerRow[],
): Omit<EffectRow, 'arm' | 'subgroup' | 'adjusted'> | null {
  const [a, b] = [outcomesOf(experiment, control), outcomesOf(experiment, treated)];
  return experiment.design === 'within' ? pairedEffect(a, b, experiment.alpha) : blockedEffect(a, b, experiment.alpha);
}

function outcomesOf({ outcome, option, blocks, cluster }: Experiment, rows: readonly AnswerRow[]): readonly Outcome[] {
  return rows
    .filter(({ item, status, codes }) => item === outcome && status === 'answered' && codes.length > 0)
    .map(({ person, attributes, weight, codes, answer }) => ({
      person,
      value: option === '' ? codes[0]! : answer.split('; ').includes(option) ? 1 : 0,
      weight,
      block: blocks.map((name) => attributes[name]).join('\u0000'),
      cluster: cluster === '' ? person : (attributes[cluster] ?? ''),
    }));
}

/** The mean difference of people with themselves. */
export function pairedEffect(
  control: readonly Outcome[],
  treated: readonly Outcome[],
  alpha: number,
): Omit<EffectRow, 'arm' | 'subgroup' | 'adjusted'> | null {
  const before = new Map(control.map((one) => [one.person, one]));
  const pairs = treated.flatMap((one) => {
    const own = before.get(one.person);
    return own === undefined ? [] : [{ value: one.value - own.value, weight: one.weight, cluster: one.cluster }];
  });
  const clusters = new Set(pairs.map(({ cluster }) => cluster)).size;
  if (clusters < 2) return null;
  const { value, error } = designMean(pairs, 1 - alpha);
  return figured(value, error, { people: pairs.length, clusters, alpha });
}

/** Differences within blocks, weighted by the people in them; errors by clusters (CR1), with as many degrees of freedom less one. */
export function blockedEffect(
  control: readonly Outcome[],
  treated: readonly Outcome[],
  alpha: number,
): Omit<EffectRow, 'arm' | 'subgroup' | 'adjusted'> | null {
  const blocks = [...new Set(control.map(({ block }) => block))].filter((block) => treated.some((one) => one.block === block));
  const inBlocks = [...control, ...treated].filter(({ block }) => blocks.includes(block));
  const total = inBlocks.reduce((sum, { weight }) => sum + weight, 0);
  let effect = 0;
  const sums = new Map<string, number>();
  for (const block of blocks) {
    const share = inBlocks.filter((one) => one.block === block).reduce((sum, { weight }) => sum + weight, 0) / total;
    for (const [list, sign] of [[treated, 1] as const, [control, -1] as const]) {
      const own = list.filter((one) => one.block === block);
      const weight = own.reduce((sum, one) => sum + one.weight, 0);
      const mean = own.reduce((sum, one) => sum + one.weight * one.value, 0) / weight;
      effect += sign * share * mean;
      for (const one of own)
        sums.set(one.cluster, (sums.get(one.cluster) ?? 0) + (sign * share * one.weight * (one.value - mean)) / weight);
    }
  }
  const clusters = sums.size;
  const parameters = 2 * blocks.length;
  if (clusters < 3 || inBlocks.length <= parameters) return null;
  const squares = [...sums.values()].reduce((sum, one) => sum + one ** 2, 0);
  // People who are their own clusters lose a degree of freedom for each mean; groups that span both arms are the units themselves.
  const isSingle = clusters === inBlocks.length;
  const small = isSingle ? clusters / (clusters - parameters) : clusters / (clusters - 1);
  return figured(effect, Math.sqrt(small * squares), {
    people: inBlocks.length,
    clusters: isSingle ? clusters - parameters + 1 : clusters,
    alpha,
  });
}

function figured(
  effect: number,
  error: number,
  { people, clusters, alpha }: { people: number; clusters: number; alpha: number },
): Omit<EffectRow, 'arm' | 'subgroup' | 'adjusted'> {
  const half = tQuantile(1 - alpha / 2, clusters - 1) * error;
  const p = error === 0 ? (effect === 0 ? 1 : 0) : tTwoSided(effect / error, clusters - 1);
  return { effect, error, interval: [effect - half, effect + half], p, people, clusters };
}

/** The power of a t test: a normal over the root of a chi-square, integrated over the latter. */
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
