/** @file A language model in this process learns from which of its own games went better. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual } from './_parts.ts';

export const lmKto: Recipe = {
  ...usual,
  name: 'lm-kto',
  method: 'Multi-turn KTO of a language model in this process, on good and bad games',
  source: 'arXiv 2409.02392',
  differs: 'Games of one deal against a random player are compared, and the reference is the policy that imitates random play.',
  baseline: { kind: 'none' },
  loss: { kind: 'desirability', aggregation: 'sequence-mean-token-sum', beta: 0.3 },
  rollout: { kind: 'group', size: 8 },
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
