/** @file Only the groups whose outcomes differ most. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const starpoS: Recipe = {
  ...usual,
  name: 'starpo-s',
  method: 'StarPO-S',
  source: 'RAGEN (arXiv 2504.20073)',
  differs: 'GRPO with a higher upper clip, on the quarter of groups with the largest deviation, without a reference.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'token-mean' },
  rollout: { kind: 'group', size: 16 },
  curriculum: { kind: 'spread', share: 0.25 },
};
