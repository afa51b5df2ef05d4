/** @file Loads the parts of learning: recipes, engines, learners, teachers, proposers and pipelines, by name, file or package. */

import { loadEntry } from '@ludus-agents/agents/internal/workspace/load';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { ProposerRecipe } from './curricula/proposers/recipes.ts';
import type { Teacher } from './curricula/teachers/index.ts';
import { engineKind, type LearnerFactory, learnerKind, pipelineKind, proposerKind, recipeKind, teacherKind } from './kinds.ts';
import type { Pipeline } from './pipelines/pipeline.ts';
import type { Engine } from './prompts/engine.ts';
import type { Recipe } from './rl/recipe.ts';

/** Loads a training recipe. A recipe file names its base and its changes. */
export function loadRecipe(name: string, cwd: string, trust: Trust): Promise<Recipe> {
  return loadEntry(recipeKind, name, cwd, trust);
}

/** An engine of text improvement by name, file or package. */
export function loadEngine(name: string, cwd: string, trust: Trust): Promise<Engine> {
  return loadEntry(engineKind, name, cwd, trust);
}

/** Loads a user's learner, by file, package or a name of the configuration. */
export async function loadLearner(name: string, cwd: string, trust: Trust): Promise<LearnerFactory> {
  const entry = await loadEntry(learnerKind, name, cwd, trust);
  if (typeof entry === 'string') throw new Fault('input', `The learner "${entry}" is built in and can only be created by a recipe.`);
  return entry;
}

/** Loads a teacher, which chooses tasks. `points` has the coordinates of each task. */
export async function loadTeacher(name: string, points: readonly (readonly number[])[], { cwd, trust }: NamingPlace): Promise<Teacher> {
  return (await loadEntry(teacherKind, name, cwd, trust))(points);
}

/** Loads the recipe of a task proposer. */
export function loadProposer(name: string, cwd: string, trust: Trust): Promise<ProposerRecipe> {
  return loadEntry(proposerKind, name, cwd, trust);
}

/** Loads a pipeline that generates data. */
export function loadPipeline(name: string, cwd: string, trust: Trust): Promise<Pipeline> {
  return loadEntry(pipelineKind, name, cwd, trust);
}
