/**
 * @file Failures become tasks (WebRL, arXiv 2411.02337): what was failed is varied, and variants that are neither hopeless nor easy are
 * kept.
 *
 * Differs: what a critic expects of a variant and whether it can be done are passed in as functions, both are always called, and a check
 * that breaks refuses the variant.
 */

import { type AnyEnvironment, canonical, type Json, type JsonObject, type Knob, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { failuresToTasks } from '../task-choice.ts';
import { type Solvable, TaskChecker } from './task-checker.ts';

export interface Failed {
  readonly task: Json;
  readonly won: boolean;
}

export interface FailureParts {
  readonly environment: AnyEnvironment;
  readonly rng: Rng;
  /** New tasks from one that was failed; by default, neighbours in its knobs. */
  readonly vary?: (task: Json, dice: Rng) => readonly Json[];
  /** How often the critic expects a task to be solved. */
  readonly expects: (task: Json) => number;
  readonly solvable?: Solvable;
  /** Failures taken as seeds, at most. */
  readonly seeds?: number;
  /** What the critic may expect, both ends included. */
  readonly band?: readonly [number, number];
}

/** Makes tasks near those that were failed, neither hopeless nor easy. */
export async function tasksFromFailures(episodes: readonly Failed[], parts: FailureParts): Promise<readonly Json[]> {
  const { environment, rng: dice, expects, solvable, seeds = 10, band = [0.05, 0.75] } = parts;
  const vary = parts.vary ?? ((task) => neighbours(environment, task, dice));
  const lost = new Map(episodes.filter(({ won }) => !won).map((one) => [canonical(one.task), one]));
  const variants = failuresToTasks(dice.shuffle([...lost.values()]).slice(0, seeds), (task) => vary(task, dice));
  const inspector = new TaskChecker({ environment, solvable, memory: variants.length });
  const kept: Json[] = [];
  for (const variant of variants) {
    const found = await inspector.inspect(variant);
    if (found.ok && inBand(expects(found.task), band)) kept.push(found.task);
  }
  return kept;
}

function inBand(expected: number, [low, high]: readonly [number, number]): boolean {
  return expected >= low && expected <= high;
}

/** For each knob that is a number or a choice: the task with that knob one step off. */
export function neighbours(environment: Pick<AnyEnvironment, 'knobs'>, task: Json, dice: Rng): readonly Json[] {
  const own = task as JsonObject;
  return Object.entries(environment.knobs).flatMap(([name, knob]) => {
    const value = moveKnob(knob, own[name], dice);
    return value === undefined ? [] : [{ ...own, [name]: value }];
  });
}

function moveKnob(knob: Knob, value: Json | undefined, dice: Rng): Json | undefined {
  if (knob.kind === 'yesno') return !value;
  if (knob.kind === 'one') return dice.pick(knob.of.filter((one) => one !== value));
  if (knob.kind !== 'whole' && knob.kind !== 'number') return undefined;
  // A knob with a huge range is a number of something, not a degree: a step from it leads nowhere in particular.
  if (knob.kind === 'whole' && knob.to - knob.from > 1000) return undefined;
  const step = knob.kind === 'whole' ? 1 : (knob.to - knob.from) / 10;
  const next = (typeof value === 'number' ? value : knob.otherwise) + (dice.int(2) === 0 ? -step : step);
  return next < knob.from || next > knob.to ? undefined : next;
}
