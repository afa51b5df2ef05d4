/** @file Episodes are compared by prompt, and turns by the state they were taken in. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const gigpo: Recipe = {
  ...usual,
  name: 'gigpo',
  method: 'GiGPO',
  source: 'arXiv 2505.10978',
  differs: 'GRPO’s mean and, added to it, that of visits to the same state.',
  baseline: {
    kind: 'group',
    key: ['prompt', 'seat'],
    center: 'mean',
    scale: 'none',
    plus: { key: ['prompt', 'state'], weight: 1, discount: 0.95 },
  },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean' },
};
