/** @file The outcome of the whole system to every call of its planner. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const flowGrpo: Recipe = {
  ...usual,
  name: 'flow-grpo',
  method: 'Flow-GRPO (AgentFlow)',
  source: 'arXiv 2510.05592',
  differs: 'GRPO with a higher upper clip; groups are of episodes, where the released code pools turns.',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.3],
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
};
