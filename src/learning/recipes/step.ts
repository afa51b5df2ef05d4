/** @file Imitation of trajectories with corrections, the errors masked. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const step: Recipe = {
  ...usual,
  name: 'step',
  method: 'STeP',
  source: 'arXiv 2505.20023',
  differs: 'Imitation; erroneous stretches are read and not learned.',
  baseline: { kind: 'none' },
  loss: { kind: 'imitation', aggregation: 'token-mean' },
  rollout: { kind: 'iid' },
};
