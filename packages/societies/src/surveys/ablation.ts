/** @file Compares a town with and without memory, reflection, and plans, as an experiment: the effect of each on the same seeds. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { type Experiment, readExperiment } from './experiment.ts';
import { type SocietyEffects, societyEffects } from './society.ts';

const full = { hourly: true, reactions: true, reflection: true, interviews: true };

/** The first arm has everything; the last knows only the present day. */
const arms = {
  full: {},
  'no reflection': { reflection: false },
  'no plan': { plan: false, hourly: false },
  'no memory': { memory: false },
  none: { memory: false, reflection: false, plan: false, hourly: false },
};

/** Compared measures of a town, with their descriptions. */
export const ablationOutcomes = {
  believable: 'interview answers that are right',
  know: 'people who know the news at the end',
  density: 'pairs that have met',
  invented: 'news told by who never heard it',
} as const;

export interface AblationOptions {
  readonly people: number;
  readonly days: number;
  readonly hours: number;
  readonly number: number;
  readonly seed: number;
}

export function ablationExperiment({ people, days, hours, number, seed }: AblationOptions): Experiment {
  const task = { people, days, hours, ...full };
  return readExperiment({ name: 'town-ablation', environment: 'town', task, arms, outcome: 'believable', number, seed, effect: 1 });
}

/** Returns the effect of leaving out each part, for every measure. */
export function ablationEffects(
  experiment: Experiment,
  played: readonly { readonly arm: string; readonly measures: ReadonlyMap<number, JsonObject> }[],
): Readonly<Record<string, SocietyEffects>> {
  return Object.fromEntries(Object.keys(ablationOutcomes).map((outcome) => [outcome, societyEffects({ ...experiment, outcome }, played)]));
}

/** Returns the mean number of people who know the news in one arm, by hour. */
export function meanCurve(measures: ReadonlyMap<number, JsonObject>): readonly number[] {
  const curves = [...measures.values()].map(({ curve }) => curve as readonly number[]);
  return (curves[0] ?? []).map((_, hour) => curves.reduce((sum, curve) => sum + (curve[hour] ?? 0), 0) / curves.length);
}
