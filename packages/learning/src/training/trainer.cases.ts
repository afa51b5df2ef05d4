/** @file What a training is paid on its way, for the tests of trainings. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { expect } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { createTrainer, type Trainer } from './trainer.ts';

export const trainerBy = (recipe: Recipe, seed = 1): Promise<Trainer> =>
  createTrainer({ recipe, seed }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });

/** Mean returns of the first six updates and of the last ten. */
export async function returnsOf(recipe: Recipe): Promise<{ readonly first: number; readonly last: number }> {
  const training = await trainerBy(recipe);
  const messages: number[] = [];
  for (let update = 1; update <= training.updates; update++) {
    expect(await training.run(update)).toBeNull();
    messages.push((await training.measure()).returned as number);
  }
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  return { first: mean(messages.slice(0, 6)), last: mean(messages.slice(-10)) };
}
