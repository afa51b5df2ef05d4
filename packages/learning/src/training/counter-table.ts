/**
 * @file Runs every recipe on its own environment for as few updates as show its mechanism: one row for each recipe, or why it cannot run.
 */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { loadAgent } from '@ludus-agents/agents/internal/workspace/loaders';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { isFault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import type { Mechanism } from '../rl/counters.ts';
import type { Recipe } from '../rl/recipe.ts';
import { createTrainer } from './trainer.ts';
import { environmentsOf } from './training-run.ts';

export interface CounterRow {
  readonly recipe: string;
  readonly environments: readonly string[];
  readonly updates: number;
  /** Null if nothing is counted, because games are played on a whole tree. */
  readonly mechanism: Mechanism | null;
  /** Why the recipe could not run unchanged; null if it could. */
  readonly refused: string | null;
}

/**
 * The maximum updates of a table: some mechanisms need earlier results, such as solved tasks. Language models make the requested number.
 */
const mostUpdates = 128;

/** The maximum games of one update: enough for groups to differ. */
const mostGames = 64;

/** Steps of imitation that a learner needs to produce the form of its prompts: tools, summaries, memos. */
const formSteps = 150;

/** The recipe with the minimum imitation and games for its updates. */
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

/** The name of a run in recipes that need one from the user. */
const unnamed = 'RUN';

/** Random episodes, for a recipe that learns from a run and names none. */
async function randomEpisodes(
  { kept, training: { environment: name, ...training } }: Recipe,
  { seed, cwd, trust }: Counting,
): Promise<Store | null> {
  if (kept?.from !== unnamed) return null;
  const environment = await resolveEnvironment(name, cwd, trust);
  const task = training.task ?? {};
  const cast = Object.fromEntries(environment.seats(environment.task(task)).map((seat) => [seat, 'random']));
  const store = memoryStore();
  const environments = [{ environment: name, tasks: [task] }];
  await run(
    { name: unnamed, environments, seeds: { from: seed, count: mostGames }, casts: [cast] },
    { store, environment: async () => environment, agent: (spec, seat, rules) => loadAgent(spec, seat, rules, { cwd, trust }) },
  );
  return store;
}

/** Trains a recipe for a few updates, and for more if a counter is 0; stores nothing and returns its counters. */
export async function countMechanism(recipe: Recipe, counting: Counting): Promise<CounterRow> {
  const row = await countOnce(recipe, counting);
  const { warmUp } = recipe.training;
  // If reduced imitation is not enough, the recipe runs with all of it.
  return row.refused === null || warmUp === undefined ? row : countOnce(recipe, counting, warmUp);
}

async function countOnce(recipe: Recipe, counting: Counting, warmUp?: Recipe['training']['warmUp']): Promise<CounterRow> {
  const { updates, seed, cwd, trust } = counting;
  const row = { recipe: recipe.name, environments: environmentsOf(recipe) };
  try {
    const most = (recipe.training.learner ?? 'table') === 'table' ? Math.max(updates, mostUpdates) : updates;
    const short = shorten(recipe, most);
    const whole = warmUp === undefined ? short : { ...short, training: { ...short.training, warmUp } };
    const store = await randomEpisodes(recipe, counting);
    const trainer = await createTrainer({ recipe: whole, seed }, { cwd, trust, folder: null, ...(store !== null && { store }) });
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
