import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { expect, it } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { createTrainer } from './trainer.ts';

it('frozen-lake-tabular learns to cross the lake, but not with a rate of 0', async () => {
  const recipe = builtInRecipe('frozen-lake-tabular') as Recipe;
  const returned = async (otherRecipe: Recipe, updates?: number) => {
    const trainer = await createTrainer({ recipe: otherRecipe, seed: 1 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
    await trainer.run(updates ?? trainer.updates);
    return (await trainer.measure()).returned as number;
  };
  const still: Recipe = { ...recipe, training: { ...recipe.training, rate: { from: 0, to: 0 } } };
  expect(await returned(still, 100)).toBeLessThan(0.1);
  expect(await returned(recipe)).toBeGreaterThan(0.9);
});

it('sites-tabular learns to solve small sites, but not with a rate of 0', async () => {
  const recipe = builtInRecipe('sites-tabular') as Recipe;
  const returned = async (otherRecipe: Recipe, updates: number) => {
    const trainer = await createTrainer({ recipe: otherRecipe, seed: 1 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
    await trainer.run(updates);
    return (await trainer.measure()).returned as number;
  };
  const still: Recipe = { ...recipe, training: { ...recipe.training, rate: { from: 0, to: 0 } } };
  expect(await returned(still, 5)).toBeLessThan(0.15);
  expect(await returned(recipe, 60)).toBeGreaterThan(0.8);
});
