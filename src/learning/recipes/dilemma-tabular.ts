/** @file A warning: naive self-play is no method of cooperation. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const dilemmaTabular: Recipe = {
  ...usual,
  name: 'dilemma-tabular',
  method: 'RAE alone, in a dilemma',
  source: 'SPIRAL (arXiv 2506.24119)',
  differs: 'Nothing but another world: the repeated dilemma, where both end up defecting.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'constant' },
  rollout: { kind: 'iid' },
  training: {
    environment: 'dilemma',
    task: { rounds: 3 },
    optimiser: 'adam',
    rate: { from: 0.03, to: 0.03 },
    games: 100_000,
    batch: 128,
  },
};
