/** @file One mean and one deviation for the whole batch instead of one for each prompt. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const reinforcePlusPlus: Recipe = {
  ...usual,
  name: 'reinforce-plus-plus',
  method: 'REINFORCE++',
  source: 'arXiv 2501.03262',
  differs: 'Normalised over the batch, not within prompts.',
  baseline: { kind: 'group', key: [], center: 'mean', scale: 'batch-std' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', kl: { weight: 0.01, estimate: 'k1', refresh: null } },
  rollout: { kind: 'iid' },
};
