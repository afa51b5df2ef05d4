/** @file Expert plans become the policy’s own successes, which stand in where all fail. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const bepa: Recipe = {
  ...usual,
  name: 'bepa',
  method: 'BEPA',
  source: 'arXiv 2601.05787',
  differs: 'As rapo without pruning; the buffer begins with episodes that were played under a plan.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean' },
  replay: { kind: 'inject', keep: 1 },
};
