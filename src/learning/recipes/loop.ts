/** @file Leave-one-out advantages, and a clip that is symmetric by ratio. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const loop: Recipe = {
  ...usual,
  name: 'loop',
  method: 'LOOP',
  source: 'arXiv 2502.01600',
  differs: 'RLOO’s advantages, clipped to [1/1.1, 1.1], no reference; one epoch instead of two.',
  baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'leave-one-out', scale: 'none' },
  loss: { kind: 'log-clipped', clip: [0.1, 0.1], aggregation: 'sequence-mean-token-mean' },
  rollout: { kind: 'group', size: 6 },
};
