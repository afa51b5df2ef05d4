/** @file Plain policy gradient, each episode against the mean of the others. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const rloo: Recipe = {
  ...usual,
  name: 'rloo',
  method: 'RLOO',
  source: 'Back to basics (arXiv 2402.14740)',
  differs:
    'No clipping; the baseline leaves the episode itself out. The published one has the divergence in the reward, here it is in the loss.',
  baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'leave-one-out', scale: 'none' },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', kl: { weight: 0.01, estimate: 'k1', refresh: null } },
};
