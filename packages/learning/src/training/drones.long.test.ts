/** @file A Gaussian policy learns to hover: against the PID script, and against no learning. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { drones } from '@ludus-agents/environments/internal/drones/drones';
import { meanOf } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { type EndEvent, type Policy, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { expect, it } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { createTrainer } from './trainer.ts';

const recipe = builtInRecipe('drones-gaussian');
const pilot = 'pilot 1';

/** What each of 64 fresh flights pays. */
async function paid(policy: Policy): Promise<readonly number[]> {
  const seeds = Array.from({ length: 64 }, (_, i) => 100_000 + i);
  const logs = await rollout(drones, { [pilot]: policy }, { seeds, task: recipe.training.task ?? {} });
  return logs.map((log) => (log.at(-1) as EndEvent).returns[pilot]!);
}

async function policyOf(otherRecipe: Recipe, updates?: number): Promise<Policy> {
  const trainer = await createTrainer({ recipe: otherRecipe, seed: 1 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
  await trainer.run(updates ?? trainer.updates);
  return trainer.learner.policy();
}

it('drones-gaussian flies better than the PID script, but not with a rate of 0', async () => {
  const pid = await paid(scriptedPolicy('pid', drones.scripts?.['pid'] as Script));
  const learned = await paid(await policyOf(override(recipe, ['training.games=2560'])));
  expect(meanOf(learned.map((value, i) => value - pid[i]!)).interval[0]).toBeGreaterThan(0);
  const still = await paid(await policyOf({ ...recipe, training: { ...recipe.training, rate: { from: 0, to: 0 } } }, 2));
  expect(meanOf(still.map((value, i) => value - pid[i]!)).interval[1]).toBeLessThan(-1);
});
