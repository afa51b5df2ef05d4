/** @file Clip higher than lower, count tokens alike, leave out groups that teach nothing. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const dapo: Recipe = {
  ...usual,
  name: 'dapo',
  method: 'DAPO',
  source: 'arXiv 2503.14476',
  differs: 'GRPO with a higher upper clip, token means, mixed groups only and no reference.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'token-mean' },
  rollout: { kind: 'group', size: 16 },
  curriculum: { kind: 'mixed' },
};
