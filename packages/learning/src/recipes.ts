/** @file Recipes of every kind by name. */

import type { Recipe } from './rl/recipe.ts';
import { recipes } from './rl/recipes/index.ts';

/** The name and the description of each recipe. */
export const recipeNames: Readonly<Record<string, string>> = Object.fromEntries(recipes.map(({ name, method }) => [name, method]));

/** The same recipe with another number of episodes, if given. */
export function withGames(recipe: Recipe, games: number | undefined): Recipe {
  return games === undefined ? recipe : { ...recipe, training: { ...recipe.training, games } };
}
