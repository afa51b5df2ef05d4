/** @file Failures become the next tasks; the update is held near the last phase. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const webrl: Recipe = {
  ...usual,
  name: 'webrl',
  method: 'WebRL',
  source: 'arXiv 2411.02337',
  differs: 'A squared distance of log-ratios from advantages, and replay of steps neither new nor old.',
  assignment: { kind: 'critic', discount: 1 },
  baseline: { kind: 'value', level: 'turn', discount: 1, trace: 0.5 },
  loss: { kind: 'squared', aggregation: 'sequence-mean-token-sum', beta: 1 },
  rollout: { kind: 'iid' },
  replay: { kind: 'band', low: 0.5, high: 0.95 },
  curriculum: { kind: 'unsolved', share: 0.75 },
};
