/** @file Turns are judged first, and the tokens of each turn by what the turn returned. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const ragenTwoLevel: Recipe = {
  ...usual,
  name: 'ragen-two-level',
  method: 'RAGEN with two levels of GAE',
  source: 'RAGEN (arXiv 2504.20073)',
  differs: 'As ppo-tokens, after a first level over turns with a discount of its own.',
  assignment: { kind: 'critic', discount: 0.95 },
  baseline: { kind: 'value', level: 'two-level', discount: 1, trace: 1 },
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
};
