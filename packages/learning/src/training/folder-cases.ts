/** @file The tasks of a recipe whose environment is a folder: of a desk, or of content. */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { casesOf } from '@ludus-agents/desk/internal/folder-environment';
import { isContentEnvironment } from '@ludus-agents/environments/internal/content/content';
import { type AnyEnvironment, isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { Recipe } from '../rl/recipe.ts';
import { serviceDeskLm } from '../rl/recipes/language.ts';

/** The recipe that fits an environment where none is named: the clerk of a desk, a seat of content, or the moves of a game. */
export function usualRecipe(environment: AnyEnvironment): string {
  if (isContentEnvironment(environment)) return 'content-tabular';
  const { errs, script } = serviceDeskLm.training.warmUp!;
  const isDesk = [script, errs?.script].every((name) => name !== undefined && Object.hasOwn(environment.scripts ?? {}, name));
  return isDesk ? serviceDeskLm.name : 'grpo';
}

/** A recipe that names no case plays all cases of a folder in turn: of a desk, or of content. */
export async function withCases(recipe: Recipe, cwd: string, trust: Trust): Promise<Recipe> {
  const { training, coevolution, experiment } = recipe;
  const { task } = training;
  const hasTasks = training.tasks !== undefined || training.environments !== undefined || (isObject(task) && 'case' in task);
  if (hasTasks || coevolution !== undefined || experiment !== undefined) return recipe;
  const environment = await resolveEnvironment(training.environment, cwd, trust);
  if (task !== undefined && !isContentEnvironment(environment)) return recipe;
  const cases = casesOf(environment);
  if (cases === undefined) return recipe;
  const { task: _, ...rest } = training;
  const isTable = (training.learner ?? 'table') === 'table';
  // A table has no memory: it reads the latest message alone unless the content says how many. Other learners read all (0).
  const messageCount = isContentEnvironment(environment) ? (isTable ? (environment.reader.window ?? 1) : 0) : undefined;
  const window = messageCount === undefined ? {} : { window: messageCount };
  const tasks = cases.map((item) => ({ ...(isObject(task) && task), ...window, ...(item as JsonObject) }));
  return {
    ...recipe,
    training: {
      ...rest,
      ...seatsOf(recipe, environment, tasks[0]),
      tasks,
    },
  };
}

/** Content says which seats are tested; unless the recipe says otherwise, these learn and its stand-ins take the others. A task may have other seats: then all of them learn. */
function seatsOf({ training: { seats } }: Recipe, environment: AnyEnvironment, task: Json | undefined): Pick<Recipe['training'], 'seats'> {
  if (!isContentEnvironment(environment)) return {};
  const present = environment.seats(environment.task(task ?? null));
  const tested = environment.testedSeats.filter((seat) => present.includes(seat));
  const others = Object.entries(environment.others).filter(([seat]) => present.includes(seat));
  const learners = tested.length > 0 ? tested : present.filter((seat) => !Object.hasOwn(environment.others, seat));
  return { seats: { ...Object.fromEntries(others), ...Object.fromEntries(learners.map((seat) => [seat, 'learner'])), ...seats } };
}
