/** @file A critic that judges every token. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const ppoTokens: Recipe = {
  ...usual,
  name: 'ppo-tokens',
  method: 'PPO with a critic of tokens',
  source: 'Proximal policy optimisation (arXiv 1707.06347), GAE (arXiv 1506.02438)',
  differs: 'As ppo-turns, token by token: for learners that bring such a critic.',
  assignment: { kind: 'critic', discount: 1 },
  baseline: { kind: 'value', level: 'token', discount: 1, trace: 0.95 },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', kl: { weight: 0.001, estimate: 'k3', refresh: null } },
  rollout: { kind: 'iid' },
};
