/** @file Help is paid for what the person gains by it beyond what they reach alone. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const rlhg: Recipe = {
  ...usual,
  name: 'rlhg',
  method: 'RLHG (human gain)',
  source: 'arXiv 2401.16444',
  differs: 'The gain is measured against episodes without help, instead of by a learned value.',
  assignment: { kind: 'human-gain' },
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
};
