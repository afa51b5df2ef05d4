/** @file Tokens that a stale policy sampled count by how likely they are now, up to a cap. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const dart: Recipe = {
  ...usual,
  name: 'dart',
  method: 'DART, truncated importance sampling',
  source: 'arXiv 2509.23866',
  differs: 'DAPO’s update under importance weights capped at 2; the scheduling of workers is the loop’s.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'token-mean' },
  importance: 2,
};
