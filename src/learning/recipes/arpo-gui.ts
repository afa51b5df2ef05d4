/** @file Where a whole group fails, a success of old takes one place. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const arpoGui: Recipe = {
  ...usual,
  name: 'arpo-gui',
  method: 'ARPO (GUI replay)',
  source: 'github.com/dvlab-research/ARPO',
  differs: 'GRPO with a buffer of eight successes a task.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.3], aggregation: 'sequence-mean-token-mean' },
  replay: { kind: 'inject', keep: 8 },
};
