/** @file Self-play whose last policy converges: running baselines, and KL to a reference that is refreshed. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual } from './_parts.ts';

export const kuhnTabular: Recipe = {
  ...usual,
  name: 'kuhn-tabular',
  method: 'RAE with a refreshed reference',
  source: 'SPIRAL (arXiv 2506.24119) and NashPG (arXiv 2510.18183)',
  differs:
    "SPIRAL without clipping, with NashPG's refreshed reference; deals are spread evenly over a batch and have running baselines of their own, which leaves the gradient unbiased and takes most of its noise away.",
  baseline: { kind: 'running', key: ['environment', 'prompt', 'seat'], decay: 0.95 },
  loss: { kind: 'policy-gradient', aggregation: 'constant', kl: { weight: 0.5, estimate: 'exact', refresh: 300 } },
  rollout: { kind: 'even' },
  training: { ...kuhn, games: 1_000_000 },
};
