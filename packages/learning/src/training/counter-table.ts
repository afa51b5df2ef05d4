/** @file What the mechanism of every recipe does in a few updates on its own environment: one row for each recipe, or why it cannot run as it is. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { isFault } from '@ludus-agents/kernel/internal/core/index';
import type { Mechanism } from '../rl/counters.ts';
import type { Recipe } from '../rl/recipe.ts';
import { createTrainer } from './trainer.ts';
import { environmentsOf } from './training-run.ts';

export interface CounterRow {
  readonly recipe: string;
  readonly environments: readonly string[];
  /** Null where nothing is counted: the games are played on a whole tree. */
  readonly mechanism: Mechanism | null;
  /** Why the recipe could not run as it is; null where it could. */
  readonly refused: string | null;
}

/** Games of one update, at most: enough for groups to differ. */
const mostGames = 64;

/** The recipe with as little imitation and as few games as its updates need. */
function shorten(recipe: Recipe, updates: number): Recipe {
  const { training, rollout, guidance } = recipe;
  const { warmUp } = training;
  const batch = Math.max('size' in rollout ? rollout.size : 1, Math.min(training.batch, mostGames));
  return {
    ...recipe,
    training: {
      ...training,
      batch,
      games: batch * updates,
      ...(warmUp !== undefined && { warmUp: { ...warmUp, games: Math.min(16, warmUp.games), steps: Math.min(2, warmUp.steps) } }),
    },
    ...(guidance?.games !== undefined && { guidance: { ...guidance, games: Math.min(4, guidance.games) } }),
  };
}

/** Trains a recipe for a few updates, keeps nothing, and says what its counters came to. */
export async function countMechanism(
  recipe: Recipe,
  { updates, seed, cwd, trust }: { readonly updates: number; readonly seed: number; readonly cwd: string; readonly trust: Trust },
): Promise<CounterRow> {
  const row = { recipe: recipe.name, environments: environmentsOf(recipe) };
  try {
    const trainer = await createTrainer({ recipe: shorten(recipe, updates), seed }, { cwd, trust, folder: null });
    try {
      await trainer.begin();
      const collapsed = await trainer.run(trainer.updates);
      return { ...row, mechanism: trainer.mechanism(), refused: collapsed };
    } finally {
      await trainer.learner.close?.();
    }
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown;
    return { ...row, mechanism: null, refused: thrown.message };
  }
}
