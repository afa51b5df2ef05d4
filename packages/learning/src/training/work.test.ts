import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { expect, it } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { createTrainer } from './trainer.ts';

it('rules-tabular learns to find the rule of a reactor by trying, but not with a rate of 0', async () => {
  const recipe = builtInRecipe('rules-tabular');
  const returned = async (otherRecipe: Recipe, updates: number) => {
    const trainer = await createTrainer({ recipe: otherRecipe, seed: 1 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
    await trainer.run(updates);
    return (await trainer.measure()).returned as number;
  };
  const still: Recipe = { ...recipe, training: { ...recipe.training, rate: { from: 0, to: 0 } } };
  expect(await returned(still, 10)).toBeLessThan(0.5);
  expect(await returned(recipe, 110)).toBeGreaterThan(0.65);
});
