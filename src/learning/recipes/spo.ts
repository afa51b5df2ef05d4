/** @file The reward is the share of one’s own other answers that are beaten. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const spo: Recipe = {
  ...usual,
  name: 'spo',
  method: 'SPO',
  source: 'arXiv 2401.04056',
  differs: 'A policy gradient on win rates; the average of all policies is what is promised.',
  assignment: { kind: 'win-rate' },
  baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'none' },
  loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum' },
};
