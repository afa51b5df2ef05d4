/** @file GRPO without its two biases: no deviation, and a constant instead of each answer’s length. */

import type { Recipe } from '../recipe.ts';
import { meanOnly, usual } from './_parts.ts';

export const drGrpo: Recipe = {
  ...usual,
  name: 'dr-grpo',
  method: 'Dr. GRPO',
  source: 'Understanding R1-Zero-like training (arXiv 2503.20783)',
  differs: 'GRPO without the deviation and without dividing by length.',
  baseline: meanOnly,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'constant', length: 1 },
};
