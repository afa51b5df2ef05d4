/** @file Recipes of every kind by name, for whoever trains. */

import { Fault } from '../core/index.ts';
import { languageRecipes } from '../learning/languages.ts';
import { recipes } from '../learning/recipes/index.ts';
import { didYouMean } from './suggest.ts';
import { type AnyRecipe, isLanguage } from './trainers.ts';

const all: readonly AnyRecipe[] = [...recipes, ...languageRecipes];

/** What each is called, and what it does. */
export const recipeNames: Readonly<Record<string, string>> = Object.fromEntries(all.map(({ name, method }) => [name, method]));

export function recipeBy(name: string | undefined): AnyRecipe {
  const names = Object.keys(recipeNames);
  if (name === undefined) throw new Fault('input', `Name a recipe, one of ${names.join(', ')}, or a run to --resume.`);
  const found = all.find((one) => one.name === name);
  if (found === undefined)
    throw new Fault('input', `There is no recipe "${name}".${didYouMean(name, names)} "ludus train --help" lists all.`);
  return found;
}

/** The same recipe with another number of games, where one is given. */
export function withGames(recipe: AnyRecipe, games: number | undefined): AnyRecipe {
  if (games === undefined) return recipe;
  return isLanguage(recipe) ? { ...recipe, games } : { ...recipe, training: { ...recipe.training, games } };
}
