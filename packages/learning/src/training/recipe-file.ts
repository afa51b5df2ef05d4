/**
 * @file Reads a recipe from a user's file: "base" names another recipe, and the file's choices replace that recipe's.
 *
 * Every choice is checked here with its range, so that a training does not fail, or silently learn nothing, an hour later.
 */

import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { Shape } from '@ludus-agents/kernel/internal/core/shape';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { Recipe } from '../rl/recipe.ts';
import { checkRecipe, recipeShape } from '../rl/recipe-shape.ts';
import { recipes } from '../rl/recipes/index.ts';

/** The range of a setting, by its path as for --set: "loss.kl.weight". */
export function rangeAt(recipe: Recipe, path: string): string | null {
  let shape: Shape<unknown> | undefined = recipeShape;
  let value: unknown = recipe;
  for (const step of path.split('.')) {
    shape = shape?.inner?.(step, value);
    value = isObject(value) ? value[step] : undefined;
  }
  return shape?.wanted ?? null;
}

/** Reads a recipe; undefined if the value is something else. */
export function readRecipe(value: unknown, where: string): Recipe | undefined {
  if (!isObject(value) || !('base' in value || ('training' in value && 'loss' in value))) return undefined;
  const { $schema: _, base: called, ...overrides } = value;
  const { name, ...base } = called === undefined ? {} : baseOf(called, where);
  const observation = { method: `changed from ${String(called ?? 'nothing')}`, source: where, differs: 'see the file' };
  return checkRecipe({ ...observation, ...mergeRecipes(base, overrides) }, where);
}

function baseOf(called: Json, where: string): JsonObject {
  const recipe = recipes.find((otherRecipe) => otherRecipe.name === called);
  const names = recipes.map((otherRecipe) => otherRecipe.name);
  if (recipe === undefined)
    throw new Fault(
      'input',
      `${where}: unknown base recipe ${JSON.stringify(called)}.${typeof called === 'string' ? didYouMean(called, names) : ''} Run "ludus list recipes" to see all.`,
      { code: 'E_UNKNOWN_NAME' },
    );
  return recipe;
}

/** Merges settings into a recipe; a different choice for a slot replaces the whole slot. */
function mergeRecipes(base: JsonObject, jsonObject: JsonObject): JsonObject {
  const out: Record<string, Json> = { ...base };
  for (const [name, value] of Object.entries(jsonObject)) {
    const before = base[name];
    const other = isObject(value) && isObject(before) && value['kind'] !== undefined && value['kind'] !== before['kind'];
    out[name] = isObject(value) && isObject(before) && !other && name !== 'task' ? mergeRecipes(before, value) : value;
  }
  return out;
}
