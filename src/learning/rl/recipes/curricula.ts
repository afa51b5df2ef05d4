/** @file Recipes in which tasks are chosen or made: teachers over the knobs of an environment, and proposers that learn with their solver. */

import type { Recipe } from '../recipe.ts';
import { meanOnly, usual } from './parts.ts';

/** A table on locks of one to twelve dials: a solver to whom the order of tasks makes all the difference. */
const locks: Recipe['training'] = {
  environment: 'lock',
  optimiser: 'adam',
  rate: { from: 0.1, to: 0.1 },
  games: 16_000,
  batch: 64,
  learner: 'table',
};

/** Any teacher over the knobs of any environment. */
export const teacherTabular: Recipe = {
  ...usual,
  name: 'teacher-tabular',
  method: 'ALP-GMM and its neighbours in the loop',
  source: 'TeachMyAgent (arXiv 2103.09815); ALP-GMM (arXiv 1910.07224)',
  differs:
    'A group of eight episodes on one task is one outcome for the teacher; the learner is measured on all tasks alike, whatever it was taught on.',
  baseline: meanOnly,
  loss: { kind: 'policy-gradient', aggregation: 'token-mean' },
  curriculum: { kind: 'teacher', teacher: 'alp-gmm', knobs: { dials: [1, 12] } },
  training: locks,
};
