/** @file A critic of turns instead of a group. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const ppoTurns: Recipe = {
  ...usual,
  name: 'ppo-turns',
  method: 'PPO with a critic of turns',
  source: 'Proximal policy optimisation (arXiv 1707.06347), GAE (arXiv 1506.02438)',
  differs: 'The critic is a table of what turns returned; one advantage a turn.',
  assignment: { kind: 'critic', discount: 1 },
  baseline: { kind: 'value', level: 'turn', discount: 1, trace: 0.95 },
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
  rollout: { kind: 'iid' },
};
