/** @file A shortened training of one language model in two cheap worlds, for the tests of it. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Recipe } from '../rl/recipe.ts';
import { manyLm } from '../rl/recipes/language.ts';
import { createTrainer } from './trainer.ts';

const many = manyLm.training;

export const twoEnvironments: Recipe = {
  ...manyLm,
  training: {
    ...many,
    environments: [
      { environment: 'kuhn-poker', task: {}, scale: 1 },
      { environment: 'dilemma', task: { rounds: 1 }, scale: 0.4 },
    ],
    sizes: { ...many.sizes, width: 32 },
    warmUp: { games: 400, steps: 300, rate: 3e-3, rows: 64, slips: 0.05 },
    games: 200 * 96,
    batch: 96,
  },
};

export const trainerOf = (recipe: Recipe) =>
  createTrainer({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
