/** @file All recipes by name. */

import { Fault } from '../../core/index.ts';
import type { Recipe } from '../recipe.ts';
import { clinicTabular } from './clinic-tabular.ts';
import { dilemmaTabular } from './dilemma-tabular.ts';
import { hanabiTabular } from './hanabi-tabular.ts';
import { kuhnDrGrpo } from './kuhn-dr-grpo.ts';
import { kuhnGrpoStd } from './kuhn-grpo-std.ts';
import { kuhnRae } from './kuhn-rae.ts';
import { kuhnRaePlain } from './kuhn-rae-plain.ts';
import { kuhnTabular } from './kuhn-tabular.ts';
import { ticTacToeTabular } from './tic-tac-toe-tabular.ts';
import { twentyQuestionsTabular } from './twenty-questions-tabular.ts';

export const recipes: readonly Recipe[] = [
  kuhnTabular,
  kuhnRae,
  kuhnRaePlain,
  kuhnDrGrpo,
  kuhnGrpoStd,
  ticTacToeTabular,
  hanabiTabular,
  dilemmaTabular,
  clinicTabular,
  twentyQuestionsTabular,
];

export function recipe(name: string): Recipe {
  const found = recipes.find((one) => one.name === name);
  if (found === undefined)
    throw new Fault('input', `There is no recipe "${name}"; there are ${recipes.map((one) => one.name).join(', ')}.`);
  return found;
}
