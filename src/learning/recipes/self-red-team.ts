/** @file Attacker and defender are one policy that plays both seats of a red team. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const selfRedTeam: Recipe = {
  ...usual,
  name: 'self-red-team',
  method: 'Self-RedTeam',
  source: 'arXiv 2506.07468',
  differs:
    'The world labels what a guard model labels in the paper and pays its general sum; whitened over a batch and seat, without the step of imitation and without hidden thoughts.',
  baseline: { kind: 'group', key: ['seat'], center: 'mean', scale: 'std' },
  loss: { kind: 'policy-gradient', aggregation: 'constant', kl: { weight: 0.01, estimate: 'exact', refresh: null } },
  rollout: { kind: 'iid' },
  training: {
    environment: 'jailbreak',
    task: { listed: true, turns: 1 },
    optimiser: 'adam',
    rate: { from: 0.05, to: 0.01 },
    games: 12_800,
    batch: 128,
  },
};
