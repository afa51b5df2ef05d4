/** @file Every turn is paid for how much likelier it makes the right answer. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const igpo: Recipe = {
  ...usual,
  name: 'igpo',
  method: 'IGPO',
  source: 'arXiv 2510.14967',
  differs: 'Turn rewards from whoever knows the answer; normalised together with the outcome.',
  assignment: { kind: 'information-gain', discount: 1 },
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
  rollout: { kind: 'group', size: 16 },
};
