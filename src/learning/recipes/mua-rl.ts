/** @file A simulated user in the loop, whose words are read and never learned. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const muaRl: Recipe = {
  ...usual,
  name: 'mua-rl',
  method: 'MUA-RL',
  source: 'arXiv 2508.18669',
  differs: 'GRPO; the user is a seat like any other, so its words are in no row.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean' },
};
