/** @file Imitation gives way to reinforcement along a cosine. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const chord: Recipe = {
  ...usual,
  name: 'chord',
  method: 'CHORD (DataMind)',
  source: 'github.com/zjunlp/DataMind',
  differs: 'DAPO’s selection and a share of imitation from .9 to .05.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean', imitation: { from: 0.9, to: 0.05, updates: 350 } },
  curriculum: { kind: 'mixed' },
};
