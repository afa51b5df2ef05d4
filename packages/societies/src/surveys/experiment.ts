/**
 * @file Experiments on a population: people in arms, balanced within blocks, or each person in every arm with the same random numbers.
 * Includes effects with cluster-robust intervals, and a registration whose hash proves what was planned before anyone was asked.
 */

import type { AgentSpec, Json, JsonObject, Seed } from '@ludus-agents/kernel/internal/core/index';
import { canonical, Fault, hash, isObject, rng } from '@ludus-agents/kernel/internal/core/index';
import {
  anything,
  list,
  number,
  object,
  one,
  readAs,
  record,
  required,
  type ShapeValue,
  text,
  whole,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { panelMemories, readInstrument, type SurveyItem } from '../survey/instrument.ts';
import { periodNames, powerOfT } from './effects.ts';
import { planSurvey, type SurveyPlan } from './plan.ts';

const form = object(
  {
    name: withDefault(words, 'experiment'),
    arms: required(record(anything), 'what each arm is told, or its task parameters; the first is the control'),
    environment: withDefault(text, '', 'the environment where people live together, such as town (default: a survey)'),
    task: withDefault(anything, {}, 'the task that all arms share'),
    outcome: required(words, 'the item that decides'),
    option: withDefault(text, '', 'the option that counts; without one it is the number on a scale'),
    /**
     * between: each person is in one arm. within: each person is in all arms, with the same random numbers. crossover: each person is in both
     * arms, one after the other.
     */
    design: withDefault(one('between', 'within', 'crossover'), 'between'),
    at: withDefault(text, '', 'the wave from which arms differ'),
    memory: withDefault(one(...panelMemories), 'none', 'what people keep from one period of a crossover to the next'),
    blocks: withDefault(list(words), []),
    /** The attribute whose groups interact or were sampled together. Without one, people are independent. */
    cluster: withDefault(text, ''),
    unit: withDefault(one('person', 'cluster'), 'person', 'the unit of assignment to arms'),
    subgroups: withDefault(list(words), []),
    hypothesis: withDefault(text, ''),
    /** Exclusions, the stopping rule, and secondary outcomes, all registered before the start. */
    exclusions: withDefault(text, ''),
    stopping: withDefault(text, ''),
    exploratory: withDefault(text, ''),
    correlation: withDefault(number(-0.99, 0.99), 0.5, 'of two answers of one person'),
    explained: withDefault(number(0, 0.99), 0, 'variance that blocks explain'),
    likeness: withDefault(number(0, 1), 0, 'similarity within clusters (intraclass correlation)'),
    alpha: withDefault(number(0.0001, 0.5), 0.05),
    effect: withDefault(number(0.01, 10), 0.5, 'the smallest effect worth finding, in standard deviations'),
    number: withDefault(whole(2, 1_000_000), 128),
    seed: withDefault(whole(0), 0),
  },
  { document: true },
);

export type Experiment = ShapeValue<typeof form>;

export function readExperiment(input: Json, where = 'The experiment'): Experiment {
  const read = readAs(form, input, { where, called: 'an experiment' });
  if (Object.keys(read.arms).length < 2)
    throw new Fault('input', `${where} needs at least two arms, but has ${Object.keys(read.arms).length}.`);
  // Episodes are compared in pairs, so two seeds are enough for an interval. Arms of people need two people each.
  if (read.environment === '' && read.number < 4)
    throw new Fault(
      'input',
      `${where}: number must be an integer of at least 4 (two people for each of two arms), but got ${read.number}.`,
    );
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
  /** The ids of the people in the arm. */
  readonly people: ReadonlySet<string>;
}

export interface PlannedExperiment {
  readonly experiment: Experiment;
  readonly registration: JsonObject;
  /** SHA-256 of the registration as canonical JSON. */
  readonly hash: string;
  readonly arms: readonly PlannedArm[];
  /** The probability of detecting the smallest effect with this plan. */
  readonly power: number;
  /** The waves of the questionnaire. */
  readonly waves: readonly string[];
}

/** Returns the fields that a registration has in addition to the experiment's own. */
function registrationOf(experiment: Experiment, setting: ExperimentSetting): JsonObject {
  const { design, at } = experiment;
  const tests = {
    between: 'difference within blocks, CR1 errors, t',
    within: 'paired t',
    crossover: 'half differences of periods between sequences, CR1 errors, t',
  };
  return {
    ...(experiment as JsonObject),
    population: hash(setting.population),
    questionnaire: hash(setting.questionnaire),
    agent: setting.agent,
    test: tests[design],
    outcomeIs:
      design === 'crossover' ? 'both periods' : at === '' ? 'the answer in the last wave' : `the change since the wave before ${at}`,
    family: 'subgroups of an arm, Holm',
    missing: 'left out and counted',
  };
}

export function planExperiment(experiment: Experiment, setting: ExperimentSetting): PlannedExperiment {
  const { arms, number: n, seed, design, blocks, subgroups, cluster, unit } = experiment;
  const names = Object.keys(arms);
  const instrument = readInstrument(setting.questionnaire);
  checkOutcome(experiment, instrument.items);
  if (design === 'crossover' && (names.length !== 2 || instrument.waves.length > 0))
    throw new Fault(
      'input',
      `A crossover needs exactly two arms and no waves, but there are ${names.length} arms and ${instrument.waves.length} waves.`,
    );
  const waves = instrument.waves.map(({ name }) => name);
  if (experiment.at !== '' && !waves.includes(experiment.at))
    throw new Fault('input', `The arms differ from the wave "${experiment.at}" on, but the waves are ${waves.join(', ') || 'none'}.`);
  const surveys = names.map((arm) => planSurvey({ ...setting, number: n, seed, ...treatmentOf(experiment, arm, setting.questionnaire) }));
  const { people } = surveys[0];
  const knownKeys = Object.keys(people.attributes[0] ?? {});
  for (const name of [...blocks, ...subgroups, ...(cluster === '' ? [] : [cluster])])
    if (!knownKeys.includes(name))
      throw new Fault('input', `The experiment uses the unknown attribute "${name}". The population has ${knownKeys.join(', ')}.`);
  if (unit === 'cluster' && cluster === '') throw new Fault('input', 'Arms are assigned to clusters, but the experiment has no "cluster".');
  const blockOf = (row: Readonly<Record<string, string>>) => blocks.map((name) => row[name]).join('\u0000');
  const assigned =
    unit === 'cluster'
      ? clusterAssignment(
          people.attributes.map((row) => row[cluster] ?? ''),
          names.length,
          seed,
        )
      : assignment(people.attributes.map(blockOf), names.length, seed);
  const registration = registrationOf(experiment, setting);
  const registered = hash(registration);
  const planned = names.map((arm, a): PlannedArm => {
    const survey = surveys[a];
    const ownItems = people.personas.map(({ id }) => id).filter((_, i) => design === 'within' || assigned[i] === a);
    const ids = new Set(ownItems);
    // In a between design, only the people of the arm are asked. In a within design, every arm uses the same random numbers.
    const casts = survey.plan.casts.filter((_, i) => design === 'within' || assigned[i] === a);
    const run = `${experiment.name}-${arm}-${registered.slice(0, 8)}`.replace(/[^\w.:-]/g, '-').slice(0, 80);
    return { arm, survey: { ...survey, run, plan: { ...survey.plan, name: run, casts } }, people: ids };
  });
  const clusters = cluster === '' ? n : new Set(people.attributes.map((row) => row[cluster])).size;
  return { experiment, registration, hash: registered, arms: planned, power: plannedPower(experiment, clusters), waves };
}

function checkOutcome({ outcome, option }: Experiment, items: readonly SurveyItem[]): void {
  const item = items.find(({ id }) => id === outcome);
  if (item === undefined)
    throw new Fault(
      'input',
      `The outcome "${outcome}" is not an item. Available: ${items.map(({ id }) => id).join(', ')}.${didYouMean(
        outcome,
        items.map(({ id }) => id),
      )}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  if (option !== '' ? !item.options.includes(option) : item.kind !== 'scale')
    throw new Fault('input', `The outcome "${item.id}" is ${item.kind}: set "option" to one of ${item.options.join(', ')}.`);
}

interface Treatment {
  readonly questionnaire: Json;
  readonly told: string;
  readonly interventions: Json;
}

/** Returns the questionnaire and texts of one arm: from the start, from a wave on, or in both orders of a crossover. */
function treatmentOf({ arms, design, at, memory }: Experiment, arm: string, questionnaire: Json): Treatment {
  const { told, interventions } = armOf(arms[arm], arm);
  const jsonObject = questionnaire as JsonObject;
  if (design === 'crossover') {
    const other = armOf(Object.entries(arms).find(([name]) => name !== arm)![1], arm);
    const waves = [told, other.told].map((text, i) => ({ name: periodNames[i], told: text }));
    if (interventions !== null || other.interventions !== null)
      throw new Fault('input', 'The arms of a crossover must be texts, because interventions would carry over into the next period.');
    return { questionnaire: { ...jsonObject, waves, memory }, told: '', interventions };
  }
  if (at === '') return { questionnaire, told, interventions };
  const waves = (jsonObject['waves'] as readonly JsonObject[]).map((wave) =>
    wave['name'] === at ? { ...wave, told: [wave['told'] ?? '', told].filter((text) => text !== '').join(' ') } : wave,
  );
  return { questionnaire: { ...jsonObject, waves }, told: '', interventions };
}

const treatment = object<{ readonly told: string; readonly interventions: Json }>({
  told: withDefault(text, ''),
  interventions: withDefault(anything, null),
});

function armOf(arm: Json, name: string): { readonly told: string; readonly interventions: Json } {
  if (typeof arm === 'string') return { told: arm, interventions: null };
  if (!isObject(arm)) throw new Fault('input', `The arm "${name}" must be a string or {"told", "interventions"}.`);
  return readAs(treatment, arm, { where: `The arm "${name}"`, called: 'an arm' });
}

/** Returns the power of the design. Effects are in standard deviations of the outcome, and every design has its own error. */
export function plannedPower(experiment: Experiment, clusters: number): number {
  const { effect, number: n, alpha, design, at, arms, correlation, explained, likeness, unit } = experiment;
  const change = Math.sqrt(2 * (1 - correlation));
  if (design === 'within') return powerOfT({ effect: effect / change, n, alpha, paired: true });
  if (design === 'crossover')
    return powerOfT({ effect: effect * Math.sqrt(2 / (1 - correlation)), n: Math.floor(n / 2), alpha, paired: false });
  const adjustedEffect = effect / ((at === '' ? 1 : change) * Math.sqrt(1 - explained));
  const each = Object.keys(arms).length;
  if (unit === 'person') return powerOfT({ effect: adjustedEffect, n: Math.floor(n / each), alpha, paired: false });
  const size = n / clusters;
  return powerOfT({
    effect: adjustedEffect * Math.sqrt(size / (1 + (size - 1) * likeness)),
    n: Math.floor(clusters / each),
    alpha,
    paired: false,
  });
}

/** Assigns whole clusters to arms, so that people of one cluster are in the same arm. */
function clusterAssignment(clusters: readonly string[], arms: number, seed: Seed): readonly number[] {
  const dealt = new Map(
    rng(seed, 'arms')
      .shuffle([...new Set(clusters)])
      .map((cluster, i) => [cluster, i % arms] as const),
  );
  return clusters.map((cluster) => dealt.get(cluster)!);
}

/** Assigns arms within each block, as evenly as possible. */
export function assignment(blocks: readonly string[], arms: number, seed: Seed): readonly number[] {
  const out = new Array<number>(blocks.length).fill(0);
  let next = 0;
  // If a block's size is not a multiple of the arms, the next block continues where it ended, so that arms stay balanced overall.
  for (const [block, members] of Map.groupBy(
    blocks.map((_, i) => i),
    (i) => blocks[i],
  ))
    for (const i of rng(seed, 'arms', block).shuffle(members)) out[i] = next++ % arms;
  return out;
}

/** Returns the fields in which two registrations differ. */
export function deviations(registered: JsonObject, now: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(registered), ...Object.keys(now)]);
  return [...names].filter((name) => canonical(registered[name] ?? null) !== canonical(now[name] ?? null));
}
