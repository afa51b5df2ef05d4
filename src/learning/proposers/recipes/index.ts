/** @file Proposers' recipes, one line each. */

import { Fault } from '../../../core/index.ts';
import type { ProposerRecipe } from '../recipe.ts';
import { agentZeroRecipe } from './agent0.ts';
import { maeRecipe } from './mae.ts';
import { pae } from './pae.ts';
import { pasoDobleRecipe } from './paso-doble.ts';
import { ssp } from './ssp.ts';

export const proposerRecipes: readonly ProposerRecipe[] = [pae, agentZeroRecipe, maeRecipe, pasoDobleRecipe, ssp];

export function proposerRecipe(name: string): ProposerRecipe {
  const found = proposerRecipes.find((one) => one.name === name);
  if (found === undefined)
    throw new Fault('input', `There is no proposer "${name}"; there are ${proposerRecipes.map((one) => one.name).join(', ')}.`);
  return found;
}
