/** @file Own successes are imitated, more and more as training goes on. */

import type { Recipe } from '../recipe.ts';
import { meanOnly, usual } from './_parts.ts';

export const spear: Recipe = {
  ...usual,
  name: 'spear',
  method: 'SPEAR',
  source: 'arXiv 2509.22601',
  differs: 'Dr. GRPO on the groups that differ most, and self-imitation judged by the median of what is usual.',
  baseline: meanOnly,
  loss: { kind: 'clipped', clip: [0.2, 0.28], aggregation: 'constant', length: 1, dual: 10 },
  replay: { kind: 'imitate', room: 2048, age: 5, rise: 200 },
  curriculum: { kind: 'spread', share: 0.75 },
};
