/**
 * @file Experiments in which people live together, in a town or on a network. Each arm has its own task, and every arm is played on the
 * same seeds. People who interact are one unit, so an episode counts once, regardless of its number of people.
 */

import { samplePopulation } from '@ludus-agents/agents/internal/personas/index';
import { currentRecords } from '@ludus-agents/evaluation/internal/current-versions';
import { holm } from '@ludus-agents/evaluation/internal/scoring/statistics/multiple';
import type { AgentSpec, AnyEnvironment, Json, JsonObject, Plan, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash, isObject } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { type EffectRow, pairedEffect, powerOfT } from './effects.ts';
import type { Experiment } from './experiment.ts';

export interface SocietySetting {
  readonly environment: AnyEnvironment;
  readonly agent: AgentSpec;
  /** The inhabitants. Without a population, people have only names. */
  readonly population: Json;
}

export interface SocietyArm {
  readonly arm: string;
  readonly run: string;
  readonly plan: Plan;
}

export interface PlannedSociety {
  readonly registration: JsonObject;
  readonly hash: string;
  readonly power: number;
  readonly arms: readonly SocietyArm[];
}

export function planSociety(experiment: Experiment, { environment, agent, population }: SocietySetting): PlannedSociety {
  const { name, arms, number: count, seed, effect, alpha, correlation } = experiment;
  const registration: JsonObject = {
    ...(experiment as JsonObject),
    rules: environment.id,
    population: population === null ? null : hash(population),
    agent: agent,
    test: 'paired t over seeds',
    missing: 'seeds without an arm are left out and counted',
  };
  const registered = hash(registration);
  const planned = Object.entries(arms).map(([arm, armTask]): SocietyArm => {
    if (!isObject(armTask) || !isObject(experiment.task))
      throw new Fault(
        'input',
        `The arm "${arm}" must be an object with the task parameters of this arm, such as {"memory": false}. In an environment, an arm cannot be text.`,
      );
    const task = { ...experiment.task, ...armTask };
    const seats = environment.seats(environment.task(task));
    const run = `${name}-${arm}-${registered.slice(0, 8)}`.replace(/[^\w.:-]/g, '-').slice(0, 80);
    const people = population === null ? [] : samplePopulation(population, seats.length, seed).personas;
    const cast =
      people.length === 0
        ? { '*': agent }
        : Object.fromEntries(seats.map((seat, i) => [seat, { ...agent, persona: people[i] as unknown as Json }]));
    const plan: Plan = {
      name: run,
      environments: [{ environment: environment.id.split('@', 1)[0], tasks: [task] }],
      seeds: { from: seed, count },
      casts: [cast],
    };
    return { arm, run, plan };
  });
  const power = powerOfT({ effect: effect / Math.sqrt(2 * (1 - correlation)), n: count, alpha, paired: true });
  return { registration, hash: registered, power, arms: planned };
}

/** Returns the final measures of each episode, by seed. */
export async function readMeasures(store: Store, run: string): Promise<ReadonlyMap<number, JsonObject>> {
  const matches = new Map<number, JsonObject>();
  for await (const { id, status } of currentRecords(store, run)) {
    if (status !== 'over') continue;
    const events = await store.events(id);
    const [start] = events;
    const note = events.findLast(
      (event) =>
        event.kind === 'message' &&
        event.to.length === 0 &&
        isObject(event.data ?? null) &&
        isObject((event.data as JsonObject)['measures']),
    );
    if (start?.kind === 'start' && note?.kind === 'message') matches.set(start.seed, (note.data as JsonObject)['measures'] as JsonObject);
  }
  return matches;
}

export interface SocietyEffects {
  readonly means: readonly { readonly arm: string; readonly mean: number; readonly episodes: number }[];
  readonly effects: readonly EffectRow[];
  /** The number of seeds that lack one of the arms. */
  readonly missing: number;
}

/** Returns the effect of every arm on one measure, on the same seeds. p is adjusted over the arms by Holm's method. */
export function societyEffects(
  { outcome, alpha, number: count }: Pick<Experiment, 'outcome' | 'alpha' | 'number'>,
  arms: readonly { readonly arm: string; readonly measures: ReadonlyMap<number, JsonObject> }[],
): SocietyEffects {
  const valued = arms.map(({ arm, measures }) => ({
    arm,
    // Sorted by seed, because a floating-point sum depends on its order.
    outcomes: [...measures]
      .sort(([a], [b]) => a - b)
      .map(([seed, figures]) => ({
        person: String(seed),
        value: numberIn(figures, outcome),
        weight: 1,
        block: '',
        cluster: String(seed),
      })),
  }));
  const [control, ...treated] = valued;
  const matches = treated.flatMap(({ arm, outcomes }) => {
    const effect = pairedEffect(control.outcomes, outcomes, alpha);
    return effect === null ? [] : [{ arm, subgroup: null, ...effect }];
  });
  const adjusted = holm(matches.map(({ p }) => p));
  const complete = [...(arms[0]?.measures.keys() ?? [])].filter((seed) => arms.every(({ measures }) => measures.has(seed))).length;
  const mean = (list: readonly { readonly value: number }[]) => list.reduce((sum, { value }) => sum + value, 0) / list.length;
  return {
    means: valued.map(({ arm, outcomes }) => ({ arm, mean: outcomes.length === 0 ? 0 : mean(outcomes), episodes: outcomes.length })),
    effects: matches.map((row, i) => ({ ...row, adjusted: adjusted[i] })),
    missing: count - complete,
  };
}

function numberIn(figures: JsonObject, name: string): number {
  const value = figures[name];
  if (typeof value === 'number') return value;
  const knownKeys = Object.keys(figures).filter((item) => typeof figures[item] === 'number');
  throw new Fault(
    'input',
    `The outcome "${name}" is not a figure that the environment reports at its end. Available: ${knownKeys.join(', ') || 'none'}.${didYouMean(name, knownKeys)}`,
    { code: 'E_UNKNOWN_NAME' },
  );
}
