/** @file `survey.facts`, `survey.extract` and `survey.compare`: checks of synthetic people, extracted data, and real answers. */

import { Fault, type Json, type Model } from '@ludus-agents/kernel/internal/core/index';
import type { RunReport } from '@ludus-agents/kernel/internal/engine/run';
import { readAnswers } from '@ludus-agents/societies/internal/surveys/answers';
import { compareAnswers, type SurveyComparison } from '@ludus-agents/societies/internal/surveys/compare';
import { type Extracted, extractFields, readExtractSchema, talkIn } from '@ludus-agents/societies/internal/surveys/extract';
import { checkFacts, type FactReport, factQuestionnaire } from '@ludus-agents/societies/internal/surveys/facts';
import { type AnswerFile, readAnswerFile } from '@ludus-agents/societies/internal/surveys/files';
import { type HumanPerson, readHumanFile } from '@ludus-agents/societies/internal/surveys/human';
import { planSurvey } from '@ludus-agents/societies/internal/surveys/plan';
import { loadRun } from '@ludus-agents/store/internal/stores';
import { askPeople, findPopulation, findRespondent, type InterviewOptions } from './interviews.ts';
import type { AgentRef, CallOptions, CallPlace, Ref, StoreCallOptions } from './refs.ts';
import { findDocument, findModel, placeOf, readStore } from './refs.ts';
import { type PlanRunner, planRunner } from './run.ts';

/** The options of `survey.facts`. */
export interface SurveyFactsRequest extends InterviewOptions {
  /** A population, its name, or its file. */
  readonly population: Ref<Json>;
  /** The number of people. */
  readonly number?: number | undefined;
  readonly seed?: number | undefined;
  /** The agent that answers for the people. */
  readonly agent?: AgentRef | undefined;
}

/** The number of people who know their stated attributes, by attribute. */
export interface SurveyFacts {
  readonly run: string;
  readonly people: number;
  readonly facts: readonly FactReport[];
  /** The reason for an early end; null if everyone was asked. */
  readonly stopped: RunReport['stopped'];
}

/** Asks people of a population about themselves, and compares their answers with their attributes. */
export async function facts(
  request: SurveyFactsRequest,
  place: CallPlace = placeOf(request),
  runner: PlanRunner = planRunner(request, place),
): Promise<SurveyFacts> {
  const { number = 50, seed = 0, agent = 'fake' } = request;
  const population = await findPopulation(request.population, place);
  const questionnaire = factQuestionnaire(population, number, seed);
  if ((questionnaire as { items: readonly unknown[] }).items.length === 0)
    throw new Fault('input', 'The people of this population do not differ in any attribute, so there is nothing to ask about.');
  const survey = planSurvey({ questionnaire, population, number, seed, agent: await findRespondent(agent, place) });
  return runner(async (store, perform) => {
    const { stopped } = await askPeople(survey, { store, perform, place, options: request });
    const rows = await readAnswers(survey, store);
    const reports = checkFacts(rows, (item) => survey.instrument.items.find(({ id }) => id === item)?.scale ?? item);
    return { run: survey.run, people: number, facts: reports, stopped };
  });
}

/** The options of `survey.extract`. */
export interface SurveyExtractRequest extends StoreCallOptions {
  /** The id of a run, or its first letters. */
  readonly run: string;
  /** The fields to look for, or their file. */
  readonly schema: Ref<Json>;
  /** A model that reads conversations for fields without a pattern. */
  readonly model?: Ref<Model> | undefined;
}

/** A field of an episode. */
export interface ExtractRow extends Pick<Extracted, 'field' | 'status' | 'value' | 'quote'> {
  readonly episode: string;
  readonly seed: number | string;
}

/** Values of all finished episodes, and the number of fields by status. */
export interface SurveyExtract {
  readonly run: string;
  readonly fields: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly rows: readonly ExtractRow[];
  /** Whether the signal ended it before all episodes were read. */
  readonly stopped: boolean;
}

/** Extracts fields from the conversations of a run. */
export async function extract(request: SurveyExtractRequest, place: CallPlace = placeOf(request)): Promise<SurveyExtract> {
  const { signal = new AbortController().signal } = request;
  const document = await findDocument(request.schema, place, 'The schema');
  const schema = readExtractSchema(document, typeof request.schema === 'string' ? `The schema ${request.schema}` : 'The schema');
  const isModelNeeded = schema.fields.some(({ pattern }) => pattern === '');
  if (isModelNeeded && request.model === undefined)
    throw new Fault('input', 'Some fields have no pattern. Pass a model that reads the conversation with --model.');
  const model = request.model === undefined || !isModelNeeded ? null : await findModel(request.model, place);
  return readStore(request, place, async (store) => {
    const run = await loadRun(store, request.run);
    const rows: ExtractRow[] = [];
    for (const [episode, ended] of await store.statuses(run.id)) {
      if (ended !== 'over' || signal.aborted) continue;
      const events = await store.events(episode);
      const [start] = events;
      for (const { field, status, value, quote } of await extractFields(talkIn(events), schema, model, signal))
        rows.push({ episode, seed: start?.kind === 'start' ? start.seed : 0, field, status, value, quote });
    }
    const fields = schema.fields.map(({ name }) => {
      const statuses = Map.groupBy(
        rows.filter(({ field }) => field === name),
        ({ status }) => status,
      );
      return [name, Object.fromEntries([...statuses].map(([status, values]) => [status, values.length]))];
    });
    return { run: run.id, fields: Object.fromEntries(fields), rows, stopped: signal.aborted };
  });
}

/** The options of `survey.compare`. */
export interface SurveyCompareRequest extends CallOptions {
  /** Answers of synthetic people, or their file. */
  readonly answers: Ref<AnswerFile>;
  /** Answers of people, or their file. */
  readonly human: Ref<readonly HumanPerson[]>;
  readonly seed?: number | undefined;
}

/** Compares synthetic answers with those of people, and leads with the limits of the population. */
export async function compare(request: SurveyCompareRequest, place: CallPlace = placeOf(request)): Promise<SurveyComparison> {
  const { cwd, trust } = place;
  const answers = typeof request.answers === 'string' ? await readAnswerFile(request.answers, cwd, trust) : request.answers;
  const people = typeof request.human === 'string' ? await readHumanFile(request.human, place, answers) : request.human;
  return compareAnswers(answers, people, request.seed ?? 0);
}
