/** @file The tasks of a recipe, and its environment with an instruction before each task. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { instructedTasks, withInstructions } from '../rl/guidance/instructions.ts';
import type { Recipe } from '../rl/recipe.ts';
import { seatingOf } from './seating.ts';

/** The tasks of a recipe without a curriculum teacher; each under every instruction, if there are any. */
export function tasksOf({ training, guidance }: Recipe): readonly Json[] {
  if (guidance?.kind === 'instruct') return instructedTasks(training.task ?? {}, guidance);
  return training.tasks ?? [training.task ?? {}];
}

/** The environment in which the learner's seat is shown an instruction first. */
export async function instructedEnvironment(
  recipe: Recipe,
  environment: AnyEnvironment,
  cwd: string,
  trust: Trust,
): Promise<AnyEnvironment> {
  const { mine } = await seatingOf(recipe, environment, cwd, trust);
  if (mine.length !== 1 || recipe.training.tasks !== undefined || recipe.curriculum.kind === 'teacher')
    throw new Fault('input', `${recipe.name} has instructions for one seat and one task. Remove training.tasks and task teachers.`);
  return withInstructions(environment, mine[0]);
}
