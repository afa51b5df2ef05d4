/** @file Episodes branch where the policy is surprised. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const arpo: Recipe = {
  ...usual,
  name: 'arpo',
  method: 'ARPO (entropy branching)',
  source: 'arXiv 2507.19849',
  differs: 'GRPO over the leaves; branches are forks of the log.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'sequence-mean-token-mean' },
  rollout: { kind: 'branch', size: 16, trunk: 8, chance: 0.5, slope: 0.2 },
};
