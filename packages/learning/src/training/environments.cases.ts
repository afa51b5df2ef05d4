/** @file How a recipe for one environment is held to what it learns, for the short tests and the long ones. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { expect } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { createTrainer } from './trainer.ts';

export async function returnAfter(recipe: Recipe, updates: number): Promise<number> {
  const trainer = await createTrainer({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
  await trainer.run(updates);
  return (await trainer.measure()).returned as number;
}

/** From below one return to above another, and not by the same play without learning. */
export async function learns(name: string, updates: number, before: number, after: number): Promise<void> {
  const recipe = builtInRecipe(name) as Recipe;
  const still: Recipe = { ...recipe, training: { ...recipe.training, rate: { from: 0, to: 0 } } };
  expect(await returnAfter(still, 3)).toBeLessThan(before);
  expect(await returnAfter(recipe, updates)).toBeGreaterThan(after);
}
