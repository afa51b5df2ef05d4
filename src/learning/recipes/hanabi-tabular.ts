/** @file A team learns a signal that nobody gave it: the smallest hanabi, to its optimum. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const hanabiTabular: Recipe = {
  ...usual,
  name: 'hanabi-tabular',
  method: 'RAE with falling entropy',
  source: 'SPIRAL (arXiv 2506.24119)',
  differs: 'The entropy bonus starts high: partners that settle early settle on a convention that is not the best.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'constant', entropy: { from: 3, to: 0.003 } },
  rollout: { kind: 'iid' },
  training: { environment: 'hanabi-tiny', optimiser: 'adam', rate: { from: 0.03, to: 0.03 }, games: 200_000, batch: 128 },
};
