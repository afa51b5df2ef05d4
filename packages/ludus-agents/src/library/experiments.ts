/** @file `survey.experiment` and `survey.town`: assigns people or episodes to arms, and measures the effect of their difference. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pretty, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { Fault, isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import type { Instrument } from '@ludus-agents/societies/internal/survey/instrument';
import { ablationEffects, ablationExperiment, meanCurve } from '@ludus-agents/societies/internal/surveys/ablation';
import { type AnswerRow, readAnswers } from '@ludus-agents/societies/internal/surveys/answers';
import { type ArmMean, type ArmRows, armMeans, type EffectRow, effectsOf } from '@ludus-agents/societies/internal/surveys/effects';
import type { Experiment } from '@ludus-agents/societies/internal/surveys/experiment';
import { deviations, planExperiment, plannedPower, readExperiment } from '@ludus-agents/societies/internal/surveys/experiment';
import type { PlannedSociety, SocietyEffects } from '@ludus-agents/societies/internal/surveys/society';
import { planSociety, readMeasures, societyEffects } from '@ludus-agents/societies/internal/surveys/society';
import { askPeople, findPopulation, findRespondent, type Interviewing, type InterviewOptions } from './interviews.ts';
import { type AgentRef, type CallPlace, findDocument, findEnvironment, placeOf, type Ref } from './refs.ts';
import { type PlanRunner, planRunner } from './run.ts';

/** The next step of an experiment. */
export interface ExperimentWork {
  readonly experiment: Experiment;
  /** Interviews of people, or episodes of an environment. */
  readonly counted: 'interview' | 'episode';
  readonly planned: number;
  readonly arms: number;
  readonly power: number;
  readonly hash: string;
  readonly registration: JsonObject;
  /** Fields that differ from the registration; null without one. */
  readonly deviations: readonly string[] | null;
}

/** The options of `survey.experiment`. */
export interface SurveyExperimentRequest extends InterviewOptions {
  /** An experiment, or its file. */
  readonly experiment: Ref<Json>;
  /** The items and the people, unless the experiment names an environment. */
  readonly questionnaire?: Ref<Json> | undefined;
  readonly population?: Ref<Json> | undefined;
  /** The agent that answers or plays for the people. */
  readonly agent?: AgentRef | undefined;
  /** The file of the registration: created if missing, otherwise compared with this experiment. */
  readonly register?: string | undefined;
  /** Called before anyone is asked; false stops. */
  readonly confirm?: ((work: ExperimentWork) => Promise<boolean>) | undefined;
}

/** A completed arm, with the figures of each seed. */
export interface PlayedArm {
  readonly arm: string;
  readonly run: string;
  readonly measures: ReadonlyMap<number, JsonObject>;
}

/** An experiment stopped by the signal, with its current arm and the number of arms. */
export interface StoppedExperiment {
  readonly kind: 'stopped';
  readonly counted: ExperimentWork['counted'];
  readonly arm: number;
  readonly arms: number;
}

/** The effects in an experiment, with the underlying answers of people or figures of episodes. */
export type SurveyExperiment =
  | StoppedExperiment
  | (ExperimentWork & { readonly missing: number; readonly effects: readonly EffectRow[] } & (
        | {
            readonly kind: 'people';
            readonly instrument: Instrument;
            readonly rows: readonly ArmRows[];
            /** Interviews that failed; `missing` also includes people who refused or do not know. */
            readonly failed: number;
            readonly means: readonly ArmMean[];
            /** The power for the people who answered; `power` is for the planned number. */
            readonly powerAnswered: number;
          }
        | { readonly kind: 'episodes'; readonly played: readonly PlayedArm[]; readonly means: SocietyEffects['means'] }
      ));

/** Runs an experiment on people of a population, or in an environment. Null if `confirm` returned false. */
export async function experiment(
  request: SurveyExperimentRequest,
  place: CallPlace = placeOf(request),
  runner: PlanRunner = planRunner(request, place),
): Promise<SurveyExperiment | null> {
  const what = typeof request.experiment === 'string' ? `The experiment ${request.experiment}` : 'The experiment';
  const written = readExperiment(await findDocument(request.experiment, place, 'The experiment'), what);
  return written.environment === '' ? withPeople(written, request, { place, runner }) : inEnvironment(written, request, { place, runner });
}

interface Calling {
  readonly place: CallPlace;
  readonly runner: PlanRunner;
}

async function withPeople(
  written: Experiment,
  request: SurveyExperimentRequest,
  { place, runner }: Calling,
): Promise<SurveyExperiment | null> {
  if (request.questionnaire === undefined || request.population === undefined)
    throw new Fault('input', 'An experiment needs items and people. Pass them with --questionnaire and --population.');
  const planned = planExperiment(written, {
    questionnaire: await findDocument(request.questionnaire, place, 'The questionnaire'),
    population: await findPopulation(request.population, place),
    agent: await findRespondent(request.agent ?? 'fake', place),
  });
  const { hash, power, registration, arms } = planned;
  const work: ExperimentWork = {
    ...{ experiment: planned.experiment, counted: 'interview', arms: arms.length, power, hash, registration },
    planned: arms.reduce((sum, { people }) => sum + people.size, 0),
    deviations: register(planned, request.register, place),
  };
  if ((await request.confirm?.(work)) === false) return null;
  return runner(async (store, perform) => {
    const rows: ArmRows[] = [];
    for (const { arm, survey, people } of arms) {
      const { stopped } = await askPeople(survey, { store, perform, place, options: request });
      rows.push({ arm, rows: (await readAnswers(survey, store)).filter(({ person }) => people.has(person)) });
      await noteRegistration(survey.run, planned, store);
      if (stopped === 'signal') return { kind: 'stopped', counted: 'interview', arm: rows.length, arms: arms.length };
    }
    const instrument = arms[0]?.survey.instrument as Instrument;
    const means = armMeans(planned.experiment, rows, planned);
    const failed = rows.flatMap((arm) => arm.rows.filter(({ status }: AnswerRow) => status === 'missing')).length;
    const missing = Math.max(
      failed,
      means.reduce((sum, arm) => sum + arm.missing, 0),
    );
    const answered = means.reduce((sum, { people }) => sum + people, 0);
    const number = written.design === 'within' ? Math.floor(answered / arms.length) : answered;
    const clusters = new Set(rows.flatMap((arm) => arm.rows.map(({ attributes }) => attributes[written.cluster] ?? '')));
    const powerAnswered =
      written.design === 'crossover' || number === written.number
        ? power
        : plannedPower({ ...planned.experiment, number }, written.cluster === '' ? number : clusters.size);
    return {
      kind: 'people',
      ...work,
      missing,
      failed,
      means,
      powerAnswered,
      effects: effectsOf(planned.experiment, rows, planned),
      instrument,
      rows,
    };
  });
}

async function inEnvironment(
  written: Experiment,
  request: SurveyExperimentRequest,
  { place, runner }: Calling,
): Promise<SurveyExperiment | null> {
  const planned = planSociety(written, {
    environment: await findEnvironment(written.environment, place),
    agent: await findRespondent(request.agent ?? 'scripted', place),
    population: request.population === undefined ? null : await findPopulation(request.population, place),
  });
  const { hash, power, registration, arms } = planned;
  const work: ExperimentWork = {
    ...{ experiment: written, counted: 'episode', planned: written.number * arms.length, arms: arms.length, power, hash, registration },
    deviations: register(planned, request.register, place),
  };
  if ((await request.confirm?.(work)) === false) return null;
  return runner(async (store, perform) => {
    const played = await playArms(planned, { store, perform, place, options: request });
    if ('kind' in played) return played;
    return { kind: 'episodes', ...work, ...societyEffects(written, played), played };
  });
}

/** Plays the arms of an experiment on the same seeds. Every run stores the hash of the registration. */
async function playArms(planned: PlannedSociety, interviewing: Interviewing): Promise<readonly PlayedArm[] | StoppedExperiment> {
  const played: PlayedArm[] = [];
  for (const { arm, run, plan } of planned.arms) {
    const { stopped } = await askPeople({ run, plan }, interviewing);
    await noteRegistration(run, planned, interviewing.store);
    if (stopped === 'signal') return { kind: 'stopped', counted: 'episode', arm: played.length + 1, arms: planned.arms.length };
    played.push({ arm, run, measures: await readMeasures(interviewing.store, run) });
  }
  return played;
}

type Registered = Pick<ExperimentWork, 'hash' | 'registration'>;

async function noteRegistration(run: string, { hash, registration }: Registered, store: Interviewing['store']): Promise<void> {
  await store.note(run, 'registration', (await store.notes(run, 'registration')).length, [{ hash, registration }]);
}

/** Writes the registration if it is missing; otherwise names the fields in which this run differs. Null without one. */
function register({ registration, hash }: Registered, file: string | undefined, { cwd }: CallPlace): readonly string[] | null {
  if (file === undefined) return null;
  const path = resolve(cwd, file);
  if (!existsSync(path)) {
    writeOut(file, pretty({ hash, registration }), cwd);
    return [];
  }
  const document = jsonFrom(readFileSync(path, 'utf8'), file);
  if (!isObject(document) || !isObject(document['registration']))
    throw new Fault('input', `${file} is not a registration. Create one with --register.`, { code: 'E_INVALID_DOCUMENT' });
  return deviations(document['registration'], registration);
}

/** The options of `survey.town`. */
export interface SurveyTownRequest extends InterviewOptions {
  readonly population?: Ref<Json> | undefined;
  /** The agents that play the people. */
  readonly agent?: AgentRef | undefined;
  readonly people?: number | undefined;
  readonly days?: number | undefined;
  readonly hours?: number | undefined;
  /** Episodes per arm. */
  readonly number?: number | undefined;
  readonly seed?: number | undefined;
  /** Called before anything is played; false stops. */
  readonly confirm?: ((work: Pick<ExperimentWork, 'planned' | 'arms'> & { readonly people: number }) => Promise<boolean>) | undefined;
}

/** The effect of memory, reflection and plans on a town. */
export type SurveyTown =
  | StoppedExperiment
  | {
      readonly kind: 'town';
      readonly hash: string;
      /** The run of each arm. */
      readonly runs: Readonly<Record<string, string>>;
      readonly missing: number;
      readonly outcomes: Readonly<Record<string, SocietyEffects>>;
      /** The believability of the people, by hour and arm. */
      readonly curves: Readonly<Record<string, readonly number[]>>;
    };

/** Plays a town with and without memory, reflection and plans, with interviews at the end. Null if `confirm` returned false. */
export async function town(
  request: SurveyTownRequest,
  place: CallPlace = placeOf(request),
  runner: PlanRunner = planRunner(request, place),
): Promise<SurveyTown | null> {
  const { people = 25, days = 2, hours = 6, number = 5, seed = 0 } = request;
  const ablation = ablationExperiment({ people, days, hours, number, seed });
  const planned = planSociety(ablation, {
    environment: await findEnvironment('town', place),
    agent: await findRespondent(request.agent ?? 'scripted:villager', place),
    population: request.population === undefined ? null : await findPopulation(request.population, place),
  });
  const arms = planned.arms.length;
  if ((await request.confirm?.({ planned: number * arms, arms, people })) === false) return null;
  return runner(async (store, perform) => {
    const played = await playArms(planned, { store, perform, place, options: request });
    if ('kind' in played) return played;
    const outcomes = ablationEffects(ablation, played);
    const runs = Object.fromEntries(played.map(({ arm, run }) => [arm, run]));
    const curves = Object.fromEntries(played.map(({ arm, measures }) => [arm, meanCurve(measures)]));
    return { kind: 'town', hash: planned.hash, runs, missing: outcomes['believable']?.missing ?? 0, outcomes, curves };
  });
}
