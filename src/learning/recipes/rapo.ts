/** @file Solved tasks are retired, and failures get the latest success. */

import type { Recipe } from '../recipe.ts';
import { usual, zScore } from './_parts.ts';

export const rapo: Recipe = {
  ...usual,
  name: 'rapo',
  method: 'RAPO (Fathom)',
  source: 'arXiv 2509.24107',
  differs: 'GRPO with one success a task and tasks pruned at nine in ten.',
  baseline: zScore,
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'sequence-mean-token-mean' },
  rollout: { kind: 'group', size: 5 },
  replay: { kind: 'inject', keep: 1 },
  curriculum: { kind: 'unsolved', share: 0.9 },
};
