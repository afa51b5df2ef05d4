/** @file Shared by programs that train a recipe in this process and play the result: the training, and fresh episodes with any cast. */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { AnyEnvironment, EpisodeEvent, Json, Policy, Seat } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { createTrainer } from '@ludus-agents/learning/internal/training/trainer';

export interface Learned {
  readonly recipe: Recipe;
  readonly environment: AnyEnvironment;
  readonly policy: (options?: { readonly temperature?: number }) => Policy;
  readonly acted: Json;
}

/** A built-in recipe with settings as on the command line, trained to its end. Files that settings name are found from `cwd`. */
export async function learned(name: string, settings: readonly string[], seed: number, cwd = process.cwd()): Promise<Learned> {
  const recipe = override(builtInRecipe(name), settings);
  const trainer = await createTrainer({ recipe, seed }, { trust: Trust.commandLine, cwd, folder: null });
  const collapse = await trainer.run(trainer.updates);
  if (collapse !== null) throw new Error(collapse);
  const environment = await resolveEnvironment(String(recipe.training.environment), cwd, Trust.commandLine);
  return { recipe, environment, policy: (options) => trainer.learner.policy(options), acted: trainer.acted() as Json };
}

/** Fresh episodes of a cast: their logs. Seeds are far from those of training. */
export async function freshLogs(
  environment: AnyEnvironment,
  cast: Readonly<Record<Seat, Policy>>,
  { task, seed, games }: { readonly task: Json; readonly seed: number; readonly games: number },
): Promise<readonly (readonly EpisodeEvent[])[]> {
  const seeds = Array.from({ length: games }, (_, i) => 50_000_000 + seed * 1000 + i);
  return rollout(environment, cast, { seeds, task });
}

/** What a seat was paid on average, penalties taken off. */
export function paidTo(logs: readonly (readonly EpisodeEvent[])[], seats: readonly Seat[]): number {
  return meanOrZero(
    logs.flatMap((log) => {
      const end = log.at(-1);
      return end?.kind === 'end' ? seats.map((seat) => (end.returns[seat] ?? 0) - (end.penalties[seat] ?? 0)) : [];
    }),
  );
}
