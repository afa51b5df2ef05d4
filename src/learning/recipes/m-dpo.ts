/** @file Pairs of episodes, compared over the policy’s own tokens of all turns. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const mDpo: Recipe = {
  ...usual,
  name: 'm-dpo',
  method: 'Multi-turn DPO',
  source: 'arXiv 2409.02392',
  differs: 'DPO on sums over turns; what the world says has no part.',
  baseline: { kind: 'none' },
  loss: { kind: 'preference', aggregation: 'sequence-mean-token-sum', beta: 0.1 },
  rollout: { kind: 'group', size: 2 },
};
