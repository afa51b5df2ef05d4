/** @file Branches balanced against fresh starts, and a clip that keeps its gradient. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const aepo: Recipe = {
  ...usual,
  name: 'aepo',
  method: 'AEPO',
  source: 'arXiv 2510.14545',
  differs: 'ARPO with the kept gradient; its entropy-weighted advantage is left out.',
  baseline: zScore,
  loss: { kind: 'kept-gradient', clip: [0.2, 0.28], aggregation: 'token-mean' },
  rollout: { kind: 'branch', size: 16, trunk: 8, chance: 0.5, slope: 0.2 },
};
