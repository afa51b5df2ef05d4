/** @file One policy on every seat, a running baseline for each. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const spiral: Recipe = {
  ...usual,
  name: 'spiral',
  method: 'SPIRAL',
  source: 'arXiv 2506.24119',
  differs: 'Its own; read before it is updated, which the paper’s text has the other way round.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'constant', length: 1 },
  rollout: { kind: 'iid' },
};
