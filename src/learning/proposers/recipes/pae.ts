/** @file Tasks from what a world offers; the agent learns from those it solved. */

import type { ProposerRecipe } from '../recipe.ts';
import { learnable } from '../shapes.ts';

export const pae: ProposerRecipe = {
  name: 'pae',
  method: 'PAE',
  source: 'arXiv 2412.13194',
  differs:
    'Tasks are read by the world and proved solvable before they count, where the paper takes what is written; the world itself is the evaluator.',
  reward: learnable,
  invalid: 0,
  rate: 'success',
  attempts: 8,
  keep: [0.01, 1],
  judged: false,
  solvable: true,
};
