/** @file Short episodes first, longer ones by stages. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const scalingInter: Recipe = {
  ...usual,
  name: 'scaling-inter',
  method: 'ScalingInter-RL',
  source: 'AgentGym-RL (arXiv 2509.08755)',
  differs: 'GRPO under a cap on turns that grows every hundred updates.',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
  rollout: { kind: 'group', size: 4 },
  curriculum: { kind: 'horizon', turns: [10, 20, 30], every: 100 },
};
