/** @file Single episodes, good or bad, against a common level. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const mKto: Recipe = {
  ...usual,
  name: 'm-kto',
  method: 'Multi-turn KTO',
  source: 'arXiv 2409.02392',
  differs: 'As m-dpo without pairs.',
  baseline: { kind: 'none' },
  loss: { kind: 'desirability', aggregation: 'sequence-mean-token-sum', beta: 0.1 },
};
