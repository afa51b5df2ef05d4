/** @file The negative control: GRPO's deviation within each deal re-weights what chance does, and self-play settles in the wrong place. */

import type { Recipe } from '../recipe.ts';
import { zScore } from './_parts.ts';
import { kuhnTabular } from './kuhn-tabular.ts';

export const kuhnGrpoStd: Recipe = {
  ...kuhnTabular,
  name: 'kuhn-grpo-std',
  method: 'GRPO with a deviation for each deal',
  source: 'DeepSeekMath (arXiv 2402.03300)',
  differs:
    'As kuhn-rae, but centred and scaled within groups of eight games of one deal, which the players cannot see: it does not converge.',
  baseline: zScore,
  rollout: { kind: 'group', size: 8 },
};
