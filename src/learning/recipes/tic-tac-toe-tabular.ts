/** @file Tic-tac-toe by self-play from random openings: without them nobody learns what to do off the beaten path. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const ticTacToeTabular: Recipe = {
  ...usual,
  name: 'tic-tac-toe-tabular',
  method: 'RAE with random openings',
  source: 'SPIRAL (arXiv 2506.24119), exploring starts (Sutton and Barto, 5.3)',
  differs: 'Nine games in ten open with up to eight random moves, and an entropy bonus falls to almost nothing; no reference is needed.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'constant', entropy: { from: 0.1, to: 0.001 } },
  rollout: { kind: 'iid' },
  curriculum: { kind: 'opening', share: 0.9, moves: 8 },
  training: { environment: 'tic-tac-toe', optimiser: 'sgd', rate: { from: 40, to: 40 }, games: 1_000_000, batch: 64 },
};
