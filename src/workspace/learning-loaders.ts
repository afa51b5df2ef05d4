/** @file Loaders of what learning uses: recipes, engines, learners, teachers, proposers and pipelines, by name, file or package. */

import { Fault } from '../core/index.ts';
import type { ProposerRecipe } from '../learning/curricula/proposers/recipes.ts';
import type { Teacher } from '../learning/curricula/teachers/index.ts';
import type { Pipeline } from '../learning/pipelines/pipeline.ts';
import type { Engine } from '../learning/prompts/engine.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import { engineKind, type LearnerFactory, learnerKind, pipelineKind, proposerKind, recipeKind, teacherKind } from './learning-kinds.ts';
import { loadEntry } from './load.ts';
import type { NamingPlace } from './name-resolvers.ts';
import type { Trust } from './trust.ts';

/** A recipe of training; a file says which one it begins from and what it changes. */
export function loadRecipe(name: string, cwd: string, trust: Trust): Promise<Recipe> {
  return loadEntry(recipeKind, name, cwd, trust);
}

/** An engine of text improvement by name, file or package. */
export function loadEngine(name: string, cwd: string, trust: Trust): Promise<Engine> {
  return loadEntry(engineKind, name, cwd, trust);
}

/** What makes a learner of the user's own, by file, package or a name of the configuration. */
export async function loadLearner(name: string, cwd: string, trust: Trust): Promise<LearnerFactory> {
  const found = await loadEntry(learnerKind, name, cwd, trust);
  if (typeof found === 'string') throw new Fault('input', `The learner "${found}" is built in and is made by the recipe that names it.`);
  return found;
}

/** A teacher for tasks; `points` maps tasks to points. */
export async function loadTeacher(name: string, points: readonly (readonly number[])[], { cwd, trust }: NamingPlace): Promise<Teacher> {
  return (await loadEntry(teacherKind, name, cwd, trust))(points);
}

/** The recipe of a proposer of tasks. */
export function loadProposer(name: string, cwd: string, trust: Trust): Promise<ProposerRecipe> {
  return loadEntry(proposerKind, name, cwd, trust);
}

/** A pipeline that makes data. */
export function loadPipeline(name: string, cwd: string, trust: Trust): Promise<Pipeline> {
  return loadEntry(pipelineKind, name, cwd, trust);
}
