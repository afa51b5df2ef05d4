/** @file What is still to come from each turn on, centred over the same seat of the same game. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const marshal: Recipe = {
  ...usual,
  name: 'marshal',
  method: 'MARSHAL (MARS)',
  source: 'arXiv 2510.15414',
  differs: 'Means over samples, where the released code takes them over distinct values; no whitening of the whole batch afterwards.',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: { kind: 'group', key: ['environment', 'seat'], center: 'mean', scale: 'none' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', dual: 3, kl: { weight: 0.2, estimate: 'k3', refresh: null } },
  rollout: { kind: 'iid' },
};
