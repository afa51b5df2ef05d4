/** @file Every agent of a team is normalised by itself. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const drMas: Recipe = {
  ...usual,
  name: 'dr-mas',
  method: 'Dr. MAS',
  source: 'arXiv 2602.08847',
  differs: 'GRPO within prompt and seat, every turn of an agent being a sample.',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean' },
};
