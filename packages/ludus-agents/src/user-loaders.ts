/**
 * @file The loaders of the library. The program that calls them is the user's, so its names are trusted like names on a command line. Paths
 * are relative to `cwd`, by default the working folder.
 */

import type { Persona } from '@ludus-agents/agents/internal/personas/persona';
import type { LudusConfig } from '@ludus-agents/agents/internal/workspace/config';
import * as config from '@ludus-agents/agents/internal/workspace/config';
import * as loaders from '@ludus-agents/agents/internal/workspace/loaders';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import * as evaluation from '@ludus-agents/evaluation/internal/loaders';
import type { Rubric } from '@ludus-agents/evaluation/internal/scoring/judges/rubric';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import type { Agent, AgentSpec, AnyEnvironment, Json, Model, Scorer, Seat } from '@ludus-agents/kernel/internal/core/index';
import { checkName } from '@ludus-agents/kernel/internal/core/options';
import type { ProposerRecipe } from '@ludus-agents/learning/internal/curricula/proposers/recipes';
import type { Teacher } from '@ludus-agents/learning/internal/curricula/teachers/index';
import * as learning from '@ludus-agents/learning/internal/loaders';
import type { Pipeline } from '@ludus-agents/learning/internal/pipelines/pipeline';
import type { Engine } from '@ludus-agents/learning/internal/prompts/engine';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { trustInProcess } from '@ludus-agents/store/internal/folder-trust';

const here = () => process.cwd();

/** The trust in a name passed by a program. The program has selected the folder, so the configuration there counts, too. */
function user(cwd: string, name: unknown): Trust {
  checkName('load', name);
  trustInProcess(cwd);
  return Trust.commandLine;
}

/** Reads the configuration of a folder and registers its endpoints for all models of this process. */
export function useConfig(cwd: string): Promise<LudusConfig> {
  trustInProcess(cwd);
  return config.useConfig(cwd);
}

/** An environment by name, file or package. */
export async function loadEnvironment(name: string, cwd: string = here()): Promise<AnyEnvironment> {
  return loaders.loadEnvironment(name, cwd, user(cwd, name));
}

/** An agent for a seat, with the models, tools and trained policies of the working folder. */
export async function loadAgent(agent: AgentSpec | string, seat: Seat, environment: AnyEnvironment, cwd: string = here()): Promise<Agent> {
  return loaders.loadAgent(agent, seat, environment, { cwd, trust: user(cwd, typeof agent === 'string' ? agent : agent?.name) });
}

/** A model: local/RUN@best, an endpoint of the configuration, ./mine.ts, ./endpoint.json, openai/…, http://… */
export async function loadModel(name: string, cwd: string = here()): Promise<Model> {
  return loaders.loadModel(name, cwd, user(cwd, name));
}

/** A scorer by name, file or package, or in its own form: `apc=MODEL`, `critic=RUN`. A rule of the user becomes a scorer. */
export async function loadScorer(name: string, cwd: string = here()): Promise<Scorer> {
  return evaluation.loadScorer(name, cwd, user(cwd, name));
}

/** A rubric for a judge. */
export async function loadRubric(name: string, cwd: string = here()): Promise<Rubric> {
  return evaluation.loadRubric(name, cwd, user(cwd, name));
}

/** A suite by name, file or package. Personas that it names are read, so that its players have them in full. */
export async function loadSuite(name: string, cwd: string = here()): Promise<Suite> {
  return evaluation.loadSuite(name, cwd, user(cwd, name));
}

/** Loads a training recipe. A recipe file names its base and its changes. */
export async function loadRecipe(name: string, cwd: string = here()): Promise<Recipe> {
  return learning.loadRecipe(name, cwd, user(cwd, name));
}

/** An engine of text improvement by name, file or package. */
export async function loadEngine(name: string, cwd: string = here()): Promise<Engine> {
  return learning.loadEngine(name, cwd, user(cwd, name));
}

/** Loads a teacher, which chooses tasks. `points` has the coordinates of each task. */
export async function loadTeacher(name: string, points: readonly (readonly number[])[], cwd: string = here()): Promise<Teacher> {
  return learning.loadTeacher(name, points, { cwd, trust: user(cwd, name) });
}

/** Loads the recipe of a task proposer. */
export async function loadProposer(name: string, cwd: string = here()): Promise<ProposerRecipe> {
  return learning.loadProposer(name, cwd, user(cwd, name));
}

/** Loads a pipeline that generates data. */
export async function loadPipeline(name: string, cwd: string = here()): Promise<Pipeline> {
  return learning.loadPipeline(name, cwd, user(cwd, name));
}

/** A population, as `samplePopulation` reads it: a name, a document, or a table of people (./people.csv, ./people.parquet). */
export async function loadPopulation(name: string, cwd: string = here()): Promise<Json> {
  return loaders.loadPopulation(name, cwd, user(cwd, name));
}

/** A persona of the gallery or of the user, or from a file in any known format. */
export async function loadPersona(name: string, cwd: string = here()): Promise<Persona> {
  return loaders.loadPersona(name, cwd, user(cwd, name));
}
