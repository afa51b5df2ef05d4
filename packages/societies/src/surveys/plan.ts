/**
 * @file A survey as a plan: people drawn from a population, each with an instrument and their own random seed, so that a run can be resumed
 * like any other.
 */

import { type PersonaSample, samplePopulation } from '@ludus-agents/agents/internal/personas/index';
import { type AgentSpec, Fault, hash, type Json, type JsonObject, type Plan, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { type Instrument, readInstrument } from '../survey/instrument.ts';

/** The contents of a survey: its questionnaire, its people, and the agent that answers for them. */
export interface SurveyContents {
  readonly questionnaire: Json;
  /** A population, as returned by `loadPopulation`. */
  readonly population: Json;
  /** The number of people. */
  readonly number: number;
  readonly seed?: Seed;
  /** The agent that answers for the people: a kind of agent, or a spec. */
  readonly agent: AgentSpec;
  /** Whether every share of the population is matched exactly. Defaults to true. */
  readonly exact?: boolean;
  /** Presents each item alone. */
  readonly fresh?: boolean;
  /** A text that people read before the first item. */
  readonly told?: string;
  /** Texts that people read when conditions are met. */
  readonly interventions?: Json;
}

/** A survey that is ready to run: the run, its people in order, and a plan with one episode per person. */
export interface SurveyPlan {
  readonly run: string;
  readonly instrument: Instrument;
  readonly people: PersonaSample;
  readonly plan: Plan;
}

/** Plans a survey with one episode per person, in order. The same request gives the same run, so answered interviews are reused. */
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
      // An agent is named after the person it plays, so that the log alone says who answered.
      casts: people.personas.map((persona) => ({ respondent: { ...agent, name: persona.id, persona: persona } })),
    },
  };
}

/** Parses an agent from a word. A fake model needs no "llm:" prefix. */
export function surveyAgent(word: string): string {
  return /^fake(\/|$)/.test(word) ? `llm:${word}` : word;
}
