/** @file Of two replies, the one more faithful to the persona is preferred. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const apcDpo: Recipe = {
  ...usual,
  name: 'apc-dpo',
  method: 'APC-DPO',
  source: 'arXiv 2405.07726',
  differs: 'DPO whose pairs are told apart by a checklist of the persona’s statements.',
  assignment: { kind: 'checklist' },
  baseline: { kind: 'none' },
  loss: { kind: 'preference', aggregation: 'sequence-mean-token-sum', beta: 0.1 },
  rollout: { kind: 'group', size: 2 },
};
