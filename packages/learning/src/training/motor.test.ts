/** @file A Gaussian policy learns the motor by the one loop: against the PI script, against itself untrained, and against no learning. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { motor } from '@ludus-agents/environments/internal/motor/motor';
import { meanOf } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { type EndEvent, type Policy, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { expect, it } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { createTrainer } from './trainer.ts';

const task = { steps: 25, hold: 25 };
const recipe = override(builtInRecipe('motor-gaussian'), [
  `training.task=${JSON.stringify(task)}`,
  'training.games=960',
  'training.batch=16',
]);
const ready = (otherRecipe: Recipe) =>
  createTrainer({ recipe: otherRecipe, seed: 1 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });

/** What each of 32 fresh episodes pays. */
async function paid(policy: Policy): Promise<readonly number[]> {
  const logs = await rollout(motor, { controller: policy }, { seeds: Array.from({ length: 32 }, (_, i) => 100_000 + i), task });
  return logs.map((log) => (log.at(-1) as EndEvent).returns['controller']!);
}

it('motor-gaussian controls the motor better than PI, but not with a rate of 0', async () => {
  const still = await ready({ ...recipe, training: { ...recipe.training, rate: { from: 0, to: 0 } } });
  await still.run(3);
  const trainer = await ready(recipe);
  expect(trainer.how).toBe('By rollout: the learner reads and writes numbers.');
  await trainer.run(trainer.updates);
  const [learned, untaught] = [await paid(trainer.learner.policy()), await paid(still.learner.policy())];
  const pi = await paid(scriptedPolicy('pi', motor.scripts?.['pi'] as Script));
  const [low] = meanOf(learned.map((value, i) => value - pi[i]!)).interval;
  expect(low).toBeGreaterThan(0);
  const [, high] = meanOf(untaught.map((value, i) => value - pi[i]!)).interval;
  expect(high).toBeLessThan(0);
});

it('resumed motor training has an identical next update', async () => {
  const short = override(recipe, ['training.games=64', 'training.sizes={"width":4}']);
  const [whole, broken, again] = [await ready(short), await ready(short), await ready(short)];
  await broken.run(2);
  await again.load(JSON.parse(JSON.stringify(await broken.save())));
  await again.run(4);
  await whole.run(4);
  expect(await again.save()).toEqual(await whole.save());
});

it('Gaussian training rejects an environment with text actions before playing', async () => {
  await expect(ready(override(builtInRecipe('motor-gaussian'), ['training.environment=kuhn-poker']))).rejects.toThrow(
    /kuhn-poker@\d+ asks seat/,
  );
});
