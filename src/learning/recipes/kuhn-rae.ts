/** @file The same by the book: one running baseline a seat, deals rolled one by one. */

import type { Recipe } from '../recipe.ts';
import { kuhnTabular } from './kuhn-tabular.ts';

export const kuhnRae: Recipe = {
  ...kuhnTabular,
  name: 'kuhn-rae',
  differs: 'One running baseline for each seat and deals rolled one by one: the same on average, and noisier than kuhn-tabular.',
  baseline: { kind: 'running', key: ['environment', 'seat'], decay: 0.95 },
  rollout: { kind: 'iid' },
};
