/** @file Twice as many are played as kept: successes by tidiness, failures as they come. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const grpoRoc: Recipe = {
  ...usual,
  name: 'grpo-roc',
  method: 'GRPO-RoC (rStar2-Agent)',
  source: 'arXiv 2508.20722',
  differs: 'GRPO with a higher upper clip on the resampled half.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'token-mean' },
  rollout: { kind: 'resample', size: 32, keep: 16 },
  curriculum: { kind: 'mixed' },
};
