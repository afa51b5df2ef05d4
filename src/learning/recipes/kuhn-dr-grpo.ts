/** @file The positive twin of the control: the mean of each deal alone does no harm. */

import type { Recipe } from '../recipe.ts';
import { meanOnly } from './_parts.ts';
import { kuhnGrpoStd } from './kuhn-grpo-std.ts';

export const kuhnDrGrpo: Recipe = {
  ...kuhnGrpoStd,
  name: 'kuhn-dr-grpo',
  method: 'Dr. GRPO with a mean for each deal',
  source: 'Understanding R1-Zero-like training (arXiv 2503.20783)',
  differs: 'As kuhn-grpo-std without the division by the deviation: it converges.',
  baseline: meanOnly,
};
