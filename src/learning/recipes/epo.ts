/** @file Entropy is kept in a band around its own past. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const epo: Recipe = {
  ...usual,
  name: 'epo',
  method: 'EPO',
  source: 'arXiv 2509.22576',
  differs: 'A hinge that has a gradient, where the released penalty has none.',
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    aggregation: 'sequence-mean-token-mean',
    entropy: { from: 0.001, to: 0.001 },
    band: { low: 0.8, high: 1.2, weight: 0.1 },
  },
};
