/** @file `train`: trains a recipe, in memory or into the folder of a run. */

import { type AnyEnvironment, Fault, type Json, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { loadRecipe } from '@ludus-agents/learning/internal/loaders';
import { withGames } from '@ludus-agents/learning/internal/recipes';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { runFolder } from '@ludus-agents/learning/internal/training/run-folder';
import { type TrainingProgress, type TrainingReport, train as trainRun } from '@ludus-agents/learning/internal/training/train';
import '@ludus-agents/servers/internal/kinds';
import { type AgentRef, environmentName, programTrust, type Ref, specOf } from './refs.ts';

/** The options of `train`. */
export interface TrainOptions {
  /** A recipe, its name, or its file. */
  readonly recipe: Ref<Recipe>;
  /** The environment in place of the recipe's: an object in memory, a name, or a file. */
  readonly environment?: Ref<AnyEnvironment>;
  /** A fixed opponent. */
  readonly opponent?: AgentRef;
  readonly games?: number;
  readonly seed?: Seed;
  /** Other settings of the recipe, by path: `{ 'loss.kl.weight': 0.2 }`. */
  readonly set?: Readonly<Record<string, Json>>;
  /** The name of the run, which stores its checkpoints in `.ludus/training`; without it nothing is stored. */
  readonly name?: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TrainingProgress) => void;
}

export async function train(request: TrainOptions): Promise<TrainingReport> {
  const { recipe: named, environment, opponent, games, seed = 1, set = {}, name, cwd = process.cwd(), signal, onProgress } = request;
  const trust = programTrust(cwd);
  const base = typeof named === 'string' ? await loadRecipe(named, cwd, trust) : named;
  const settings: Readonly<Record<string, unknown>> = {
    ...(environment !== undefined && { 'training.environment': environmentName(environment) }),
    ...(opponent !== undefined && { 'training.opponents': specOf(opponent) }),
    ...set,
  };
  const recipe = override(
    withGames(base, games),
    Object.entries(settings).map(([path, value]) => `${path}=${JSON.stringify(value)}`),
  );
  const folder = name === undefined ? null : runFolder(cwd, name);
  const services = { cwd, trust, folder, stopped: () => signal?.aborted === true };
  const report = await trainRun({ recipe, seed }, { ...services, ...(onProgress === undefined ? {} : { tell: onProgress }) });
  if (report === null) throw new Fault('input', 'The training was stopped by its signal before it ended.');
  return report;
}
