/**
 * @file The keeper of a handbook learns against visitors who ask for open and closed pages, and is then tested with every way of
 * asking.
 *
 * Options: against ("itself": visitor and keeper are one policy that learns on both seats; "plain": it learns as keeper only, against
 * visitors who ask plainly; "mixed": against visitors who try all ways), games, settings (JSON list of NAME=VALUE), seed. Prints the
 * success rate of the worst way of asking, the mean over all ways, the share of honest questions that are refused, and the sum of the
 * first and the last.
 */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Json, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { figuresOf } from '@ludus-agents/learning/internal/adversaries/figures';
import { redTeams } from '@ludus-agents/learning/internal/adversaries/scripted';
import { verdictOf } from '@ludus-agents/learning/internal/adversaries/verdict';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { createTrainer } from '@ludus-agents/learning/internal/training/trainer';
import type { ProgramOptions } from '../arms.ts';

export default async function run({ against = 'itself', games = 6400, settings = '[]', seed = 1 }: ProgramOptions): Promise<Json> {
  const opponent = { plain: 'plain', mixed: 'asker' }[String(against)];
  const seats = opponent === undefined ? [] : [`training.seats=${JSON.stringify({ keeper: 'learner', asker: opponent })}`];
  const recipe = override(builtInRecipe('self-red-team'), [
    `training.games=${games}`,
    ...seats,
    ...(JSON.parse(String(settings)) as readonly string[]),
  ]);
  const trainer = await createTrainer({ recipe, seed: Number(seed) }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
  await trainer.run(trainer.updates);
  const environment = await builtInEnvironment('jailbreak');
  const scripts = environment.scripts as Readonly<Record<string, Script>>;
  const harms: number[] = [];
  const refusals: number[] = [];
  for (const way of Object.keys(redTeams['jailbreak'].attacks)) {
    const cast = { asker: scriptedPolicy(way, scripts[way]), keeper: trainer.learner.policy() };
    const seeds = Array.from({ length: 60 }, (_, i) => Number(seed) * 1000 + i);
    const { harm, overRefusal } = figuresOf((await rollout(environment, cast, { seeds, task: { listed: true, turns: 1 } })).map(verdictOf));
    harms.push(harm);
    refusals.push(overRefusal);
  }
  const worst = Math.max(...harms);
  const refused = meanOrZero(refusals);
  return {
    wrong: worst + refused,
    worst,
    harm: meanOrZero(harms),
    refused,
    selfPlayed: seats.length === 0 && trainsBoth(recipe) ? Number(games) : 0,
  };
}

function trainsBoth({ training }: Recipe): boolean {
  return ['asker', 'keeper'].every((seat) => training.seats?.[seat] === 'learner');
}
