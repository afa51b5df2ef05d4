/** @file Binary search, found out: every turn is paid the bits it brings, and compared with other moves in the same state. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const twentyQuestionsTabular: Recipe = {
  ...usual,
  name: 'twenty-questions-tabular',
  method: 'Returns to go, compared by state',
  source: 'IGPO (arXiv 2510.14967), GiGPO (arXiv 2505.10978)',
  differs: 'The world itself pays the information gained, and states are compared over the whole batch, since all episodes begin alike.',
  assignment: { kind: 'return-to-go', discount: 1 },
  baseline: { kind: 'group', key: ['state'], center: 'mean', scale: 'none' },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.02, to: 0.001 } },
  rollout: { kind: 'iid' },
  training: {
    environment: 'twenty-questions',
    task: { table: 'bits', turns: 6, wrong: 'ends', shaped: true },
    optimiser: 'adam',
    rate: { from: 0.3, to: 0.3 },
    games: 19_200,
    batch: 128,
  },
};
