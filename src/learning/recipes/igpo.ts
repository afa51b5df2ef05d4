/** @file Every turn is paid for how much likelier it makes the right answer. */

import type { Recipe } from '../recipe.ts';
import { kuhn, usual, zScore } from './_parts.ts';

export const igpo: Recipe = {
  ...usual,
  name: 'igpo',
  method: 'IGPO',
  source: 'arXiv 2510.14967',
  differs:
    'The world, which knows the answer, pays the gain, where the paper asks the policy how likely it finds it; normalised together with the outcome.',
  assignment: { kind: 'information-gain', discount: 1, by: 'world' },
  baseline: zScore,
  loss: {
    kind: 'clipped',
    clip: [0.2, 0.2],
    aggregation: 'sequence-mean-token-mean',
    kl: { weight: 0.001, estimate: 'k3', refresh: null },
  },
  rollout: { kind: 'group', size: 16 },
  training: { ...kuhn, environment: 'twenty-questions', task: { table: 'bits', turns: 6, wrong: 'ends', shaped: true }, games: 20_480 },
};
