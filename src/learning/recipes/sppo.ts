/** @file Log-ratios are led to the chance to win against oneself. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const sppo: Recipe = {
  ...usual,
  name: 'sppo',
  method: 'SPPO',
  source: 'arXiv 2405.00675',
  differs: 'A squared loss on the best and the worst of five.',
  assignment: { kind: 'win-rate' },
  baseline: { kind: 'none' },
  loss: { kind: 'squared', aggregation: 'sequence-mean-token-sum', beta: 0.001 },
  rollout: { kind: 'group', size: 5 },
};
