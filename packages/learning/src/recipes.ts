/** @file Recipes of every kind by name. */

import type { Recipe } from './rl/recipe.ts';
import { recipes } from './rl/recipes/index.ts';

/** What each is called, and what it does. */
export const recipeNames: Readonly<Record<string, string>> = Object.fromEntries(recipes.map(({ name, method }) => [name, method]));

/** The same recipe with another number of episodes, where one is given. */
export function withGames(recipe: Recipe, games: number | undefined): Recipe {
  return games === undefined ? recipe : { ...recipe, training: { ...recipe.training, games } };
}
