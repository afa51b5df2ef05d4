/** @file Episodes of one prompt are compared with each other: no critic, a mean and a deviation. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const grpo: Recipe = {
  ...usual,
  name: 'grpo',
  method: 'GRPO',
  source: 'DeepSeekMath (arXiv 2402.03300)',
  differs: 'The first of its family. Biased wherever a prompt hides something from the policy, such as a deal.',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
};
