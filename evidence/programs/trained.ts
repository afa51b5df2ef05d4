/**
 * @file Trains a recipe and plays the result on fresh episodes, if the report of `ludus train` has no return: games scored by
 * exploitability, or opponents that were not in training.
 *
 * Options: recipe, settings (JSON list of NAME=VALUE), task (JSON; default: the recipe's), seats ("all", or the learner's, separated by
 * commas), against (opponents, separated by commas; "A+B" names one for each other seat), games, seed. Prints the mean return of the
 * learner's seats over all opponents, and how often each mechanism acted.
 */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
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
  const { task: trainedTask = {} } = recipe.training;
  const environment = await resolveEnvironment(String(recipe.training.environment), process.cwd(), Trust.commandLine);
  const task = options['task'] === undefined ? trainedTask : (JSON.parse(String(options['task'])) as Json);
  const seats = environment.seats(environment.task(task));
  const wanted = String(options['seats'] ?? 'all');
  const mine = wanted === 'all' ? seats : wanted.split(',');
  const seeds = Array.from({ length: Number(games) }, (_, i) => Number(seed) * 1000 + i);
  const opponents = String(options['against'] ?? 'random').split(',');
  const returns: number[] = [];
  for (const opponent of mine.length === seats.length ? ['itself'] : opponents) {
    const cast: Record<string, Policy> = {};
    const others = seats.filter((seat) => !mine.includes(seat));
    const names = opponent.split('+');
    for (const seat of mine) cast[seat] = trainer.learner.policy();
    for (const [i, seat] of others.entries()) cast[seat] = opponentBy(names[i % names.length], environment);
    for (const log of await rollout(environment, cast, { seeds, task })) {
      const end = log.at(-1);
      if (end?.kind === 'end') returns.push(meanOrZero(mine.map((seat) => end.returns[seat] ?? 0)));
    }
  }
  return { paid: meanOrZero(returns), acted: trainer.acted() as Json };
}
