/**
 * @file Trains a recipe and plays the result on fresh episodes, where the report of `ludus train` has no return: games that are scored by
 * exploitability, or opponents that were not met. Options: recipe, settings (JSON list of NAME=VALUE), task (JSON; the recipe's unless given),
 * seats ("all", or those of the learner, separated by commas), against (opponents, separated by commas), games, seed. Gives the mean return of
 * the learner's seats over all opponents, and how often each mechanism acted.
 */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Json, Policy } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { opponentBy } from '@ludus-agents/learning/internal/training/seat-policies';
import { createTrainer } from '@ludus-agents/learning/internal/training/trainer';
import type { ProgramOptions } from '../arms.ts';

export default async function run({ recipe: name, settings = '[]', seed = 1, games = 64, ...options }: ProgramOptions): Promise<Json> {
  const recipe = override(builtInRecipe(String(name)), JSON.parse(String(settings)) as readonly string[]);
  const trainer = await createTrainer({ recipe, seed: Number(seed) }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
  const collapse = await trainer.run(trainer.updates);
  if (collapse !== null) throw new Error(collapse);
  const { environment: world, task: trainedTask = {} } = recipe.training;
  const environment = await builtInEnvironment(String(world));
  const task = options['task'] === undefined ? trainedTask : (JSON.parse(String(options['task'])) as Json);
  const seats = environment.seats(environment.task(task));
  const wanted = String(options['seats'] ?? 'all');
  const mine = wanted === 'all' ? seats : wanted.split(',');
  const seeds = Array.from({ length: Number(games) }, (_, i) => Number(seed) * 1000 + i);
  const opponents = String(options['against'] ?? 'random').split(',');
  const paid: number[] = [];
  for (const opponent of mine.length === seats.length ? ['itself'] : opponents) {
    const cast: Record<string, Policy> = {};
    for (const seat of seats) cast[seat] = mine.includes(seat) ? trainer.learner.policy() : opponentBy(opponent, environment);
    for (const log of await rollout(environment, cast, { seeds, task })) {
      const end = log.at(-1);
      if (end?.kind === 'end') paid.push(meanOrZero(mine.map((seat) => end.returns[seat] ?? 0)));
    }
  }
  return { paid: meanOrZero(paid), acted: trainer.acted() as Json };
}
