/** @file A consultation learned to its optimum: when to look, and when to say what it is. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const clinicTabular: Recipe = {
  ...usual,
  name: 'clinic-tabular',
  method: 'RAE with falling entropy, by rollout',
  source: 'SPIRAL (arXiv 2506.24119)',
  differs: 'One seat and a hidden case instead of an opponent.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.1, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: {
    environment: 'clinic',
    task: { table: 'mini' },
    optimiser: 'adam',
    rate: { from: 0.1, to: 0.03 },
    games: 19_200,
    batch: 64,
  },
};
