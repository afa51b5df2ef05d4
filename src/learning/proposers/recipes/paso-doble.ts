/** @file Two models in a dual play: tasks that are hard, solved now and then, and unlike what came before. */

import type { ProposerRecipe } from '../recipe.ts';
import { pasoDoble } from '../shapes.ts';

export const pasoDobleRecipe: ProposerRecipe = {
  name: 'paso-doble',
  method: 'PasoDoble',
  source: 'Better LLM Reasoning via Dual-Play',
  differs: 'Likeness is told by knobs and words of a task.',
  reward: pasoDoble,
  invalid: 0,
  rate: 'success',
  attempts: 8,
  keep: [0.01, 0.99],
  judged: false,
  solvable: false,
};
