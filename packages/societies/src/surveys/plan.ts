/** @file A survey as a plan: people drawn from a population, each with an instrument and their own dice, so that a run of it is resumed like any other. */

import { type PersonaSample, samplePopulation } from '@ludus-agents/agents/internal/personas/index';
import { type AgentSpec, Fault, hash, type Json, type JsonObject, type Plan, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { type Instrument, readInstrument } from '../survey/instrument.ts';

/** The questionnaire of a survey, its people, and the agent that answers for them. */
export interface SurveyContents {
  readonly questionnaire: Json;
  /** A population, as `loadPopulation` gives it. */
  readonly population: Json;
  /** How many people. */
  readonly number: number;
  readonly seed?: Seed;
  /** Who answers for the people: a kind of agent, or a spec. */
  readonly agent: AgentSpec;
  /** Every share of the population is met exactly, which is the default. */
  readonly exact?: boolean;
  /** Each item is put alone. */
  readonly fresh?: boolean;
  /** What people read before the first item. */
  readonly told?: string;
  /** What people read when conditions hold. */
  readonly interventions?: Json;
}

/** A survey that is ready to run: the run, its people in order, and a plan with one episode per person. */
export interface SurveyPlan {
  readonly run: string;
  readonly instrument: Instrument;
  readonly people: PersonaSample;
  readonly plan: Plan;
}

/** The people in order, one episode each. The same request is the same run, so answered interviews are reused. */
export function planSurvey(request: SurveyContents): SurveyPlan {
  const { questionnaire, population, number, seed = 0, agent, exact = true, fresh = false, told = '', interventions = null } = request;
  if (agent.persona !== undefined)
    throw new Fault(
      'input',
      `${agent.name} has a persona, but in a survey the agent plays the people of the population. Remove the persona.`,
    );
  const instrument = readInstrument(questionnaire);
  const people = samplePopulation(population, number, seed, { exact });
  const decides = {
    questionnaire,
    population,
    number,
    seed,
    agent,
    exact,
    fresh,
    told,
    ...(interventions === null ? {} : { interventions }),
  } as Json;
  const run = `survey-${instrument.name}-${hash(decides).slice(0, 8)}`;
  const { $schema: _, ...questions } = questionnaire as JsonObject;
  return {
    run,
    instrument,
    people,
    plan: {
      name: run,
      environments: [
        { environment: 'survey', tasks: [{ questionnaire: questions, fresh, told, ...(interventions === null ? {} : { interventions }) }] },
      ],
      seeds: { from: seed, count: 1 },
      seedPerCast: true,
      // An agent is named after the person it plays, so that a log alone says who answered.
      casts: people.personas.map((persona) => ({ respondent: { ...agent, name: persona.id, persona: persona } })),
    },
  };
}

/** An agent from a word; a fake model needs no "llm:" before it. */
export function surveyAgent(word: string): string {
  return /^fake(\/|$)/.test(word) ? `llm:${word}` : word;
}
