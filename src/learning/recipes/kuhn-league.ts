/** @file Kuhn poker in a league: oneself, past selves that are still hard, and scripts that never change. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual } from './_parts.ts';

export const kuhnLeague: Recipe = {
  ...usual,
  name: 'kuhn-league',
  method: 'RAE with a refreshed reference, in a league',
  source: 'SPIRAL (arXiv 2506.24119), league training (Vinyals et al. 2019)',
  differs: 'As kuhn-rae by rollout, meeting past selves by rating and scripted anchors besides itself.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', kl: { weight: 0.5, estimate: 'exact', refresh: 50 } },
  rollout: { kind: 'iid' },
  training: { ...kuhn, opponents: 'league', rate: { from: 0.1, to: 0.005 }, games: 64_000 },
};
