/** @file The mean of the prompt, the deviation of the batch. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const reinforcePlusPlusBaseline: Recipe = {
  ...usual,
  name: 'reinforce-plus-plus-baseline',
  method: 'REINFORCE++-baseline',
  source: 'arXiv 2501.03262',
  differs: 'REINFORCE++ with each prompt’s mean taken off first.',
  baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'batch-std' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', kl: { weight: 0.01, estimate: 'k2', refresh: null } },
};
