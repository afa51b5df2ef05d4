/** @file One table learns in four environments of work, in tasks that it has never met, and not when nothing is learnt. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import type { Recipe } from '../rl/recipe.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { returnAfter } from './environments.cases.ts';

const grounds: readonly (readonly [string, Json, number, number, number])[] = [
  ['memory', { tokens: 400, questions: 1 }, 50, 0.35, 0.5],
  ['tables', { level: 1, rows: 12, turns: 3, workings: true }, 50, 0.35, 0.5],
  ['maths', { level: 1, turns: 3, workings: true }, 50, 0.35, 0.7],
  ['programs', { operator: 'boundary', turns: 1 }, 50, 0.2, 0.45],
];

it.each(grounds)('offers-tabular learns %s', async (environment, task, updates, before, after) => {
  const plain = builtInRecipe('offers-tabular');
  const recipe: Recipe = { ...plain, training: { ...plain.training, environment, task, games: 3200 } };
  const still: Recipe = { ...recipe, training: { ...recipe.training, rate: { from: 0, to: 0 } } };
  expect(await returnAfter(still, 5)).toBeLessThan(before);
  expect(await returnAfter(recipe, updates)).toBeGreaterThan(after);
});
