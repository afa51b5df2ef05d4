/** @file Critics of whole utterances, learned off policy; the actor follows them. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const archer: Recipe = {
  ...usual,
  name: 'archer',
  method: 'ArCHer',
  source: 'arXiv 2402.19446',
  differs: 'One table of values instead of two pairs of networks; its targets and advantages are in critic.ts.',
  assignment: { kind: 'critic', discount: 0.95 },
  baseline: { kind: 'value', level: 'turn', discount: 0.95, trace: 0 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum' },
  rollout: { kind: 'iid' },
};
