/** @file A language model in this process learns from which of its own games went better. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual } from './_parts.ts';

export const lmDpo: Recipe = {
  ...usual,
  name: 'lm-dpo',
  method: 'Multi-turn DPO of a language model in this process, on pairs from play',
  source: 'arXiv 2409.02392',
  differs: 'Games of one deal against a random player are compared, and the reference is the policy that imitates random play.',
  baseline: { kind: 'none' },
  loss: { kind: 'preference', aggregation: 'sequence-mean-token-sum', beta: 0.3 },
  rollout: { kind: 'group', size: 4 },
  training: {
    ...kuhn,
    learner: 'transformer',
    opponents: 'random',
    rate: { from: 5e-4, to: 2e-4 },
    games: 38_400,
    batch: 256,
    warmUp: { games: 600, steps: 200, rate: 3e-3 },
  },
};
