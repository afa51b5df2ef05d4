/** @file What the mechanism of every recipe does on its own environment, in as few updates as show it: one row for each recipe, or why it cannot run. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { isFault } from '@ludus-agents/kernel/internal/core/index';
import type { Mechanism } from '../rl/counters.ts';
import type { Recipe } from '../rl/recipe.ts';
import { createTrainer } from './trainer.ts';
import { environmentsOf } from './training-run.ts';

export interface CounterRow {
  readonly recipe: string;
  readonly environments: readonly string[];
  readonly updates: number;
  /** Null where nothing is counted: the games are played on a whole tree. */
  readonly mechanism: Mechanism | null;
  /** Why the recipe could not run as it is; null where it could. */
  readonly refused: string | null;
}

/** Updates of a table, at most: some mechanisms need a past, such as tasks that were solved. Language models have those that are asked for. */
const mostUpdates = 128;

/** Games of one update, at most: enough for groups to differ. */
const mostGames = 64;

/** Steps of imitation that a learner needs before it writes in the form of its prompts: tools, summaries, memos. */
const formSteps = 150;

/** The recipe with as little imitation and as few games as its updates need. */
function shorten(recipe: Recipe, updates: number): Recipe {
  const { training, rollout, guidance, view, phases } = recipe;
  const { warmUp } = training;
  const isPrompted = view !== undefined && 'tokens' in view;
  const batch = Math.max('size' in rollout ? rollout.size : 1, Math.min(training.batch, mostGames));
  return {
    ...recipe,
    training: {
      ...training,
      batch,
      games: batch * updates,
      ...(warmUp !== undefined && {
        warmUp: {
          ...warmUp,
          games: Math.min(isPrompted ? 128 : 16, warmUp.games),
          steps: Math.min(isPrompted ? formSteps : 2, warmUp.steps),
        },
      }),
    },
    // Stages share the updates, so that each of them ends.
    ...(phases !== undefined && {
      phases: phases.map((phase) => ({ ...phase, updates: Math.min(phase.updates, Math.max(1, Math.floor(updates / phases.length))) })),
    }),
    ...(guidance?.games !== undefined && { guidance: { ...guidance, games: Math.min(4, guidance.games) } }),
  };
}

interface Counting {
  readonly updates: number;
  readonly seed: number;
  readonly cwd: string;
  readonly trust: Trust;
}

/** Trains a recipe for a few updates, and for more where a counter is 0; keeps nothing, and says what its counters came to. */
export async function countMechanism(recipe: Recipe, counting: Counting): Promise<CounterRow> {
  const row = await countOnce(recipe, counting);
  const { warmUp } = recipe.training;
  // A little imitation is too little for some: then they get all of theirs.
  return row.refused === null || warmUp === undefined ? row : countOnce(recipe, counting, warmUp);
}

async function countOnce(
  recipe: Recipe,
  { updates, seed, cwd, trust }: Counting,
  warmUp?: Recipe['training']['warmUp'],
): Promise<CounterRow> {
  const row = { recipe: recipe.name, environments: environmentsOf(recipe) };
  try {
    const most = (recipe.training.learner ?? 'table') === 'table' ? Math.max(updates, mostUpdates) : updates;
    const short = shorten(recipe, most);
    const whole = warmUp === undefined ? short : { ...short, training: { ...short.training, warmUp } };
    const trainer = await createTrainer({ recipe: whole, seed }, { cwd, trust, folder: null });
    try {
      await trainer.begin();
      for (let madeCount = updates; ; madeCount *= 2) {
        const collapsed = await trainer.run(Math.min(madeCount, trainer.updates));
        const mechanism = trainer.mechanism();
        const isDone = mechanism === null || mechanism.idle.length === 0 || madeCount >= trainer.updates;
        if (collapsed !== null || isDone) return { ...row, updates: trainer.update(), mechanism, refused: collapsed };
      }
    } finally {
      await trainer.learner.close?.();
    }
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown;
    return { ...row, updates: 0, mechanism: null, refused: thrown.message };
  }
}
