/** @file Proposer, solver and judge: quality, difficulty and form in equal parts. */

import type { ProposerRecipe } from '../recipe.ts';
import { mae } from '../shapes.ts';

export const maeRecipe: ProposerRecipe = {
  name: 'mae',
  method: 'MAE',
  source: 'arXiv 2510.23595',
  differs: 'What nobody solves is paid nothing, where the paper pays most for it; the judge is handed in and not trained.',
  reward: mae,
  invalid: 0,
  rate: 'success',
  attempts: 8,
  keep: [0.01, 0.99],
  judged: true,
  solvable: false,
};
