/** @file Recipes of every kind by name. */

import { recipes } from '../learning/rl/recipes/index.ts';
import { languageRecipes } from '../learning/rl/recipes/language.ts';
import { type AnyRecipe, isLanguage } from './training-run.ts';

const all: readonly AnyRecipe[] = [...recipes, ...languageRecipes];

/** What each is called, and what it does. */
export const recipeNames: Readonly<Record<string, string>> = Object.fromEntries(all.map(({ name, method }) => [name, method]));

/** The same recipe with another number of episodes, where one is given. */
export function withGames(recipe: AnyRecipe, games: number | undefined): AnyRecipe {
  if (games === undefined) return recipe;
  return isLanguage(recipe) ? { ...recipe, games } : { ...recipe, training: { ...recipe.training, games } };
}
