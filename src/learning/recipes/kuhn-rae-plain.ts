/** @file Self-play without any regularisation: the last policy cycles for ever, the average of all of them converges. */

import type { Recipe } from '../recipe.ts';
import { kuhnRae } from './kuhn-rae.ts';

export const kuhnRaePlain: Recipe = {
  ...kuhnRae,
  name: 'kuhn-rae-plain',
  method: 'RAE alone',
  source: 'SPIRAL (arXiv 2506.24119)',
  differs: 'No reference and plain descent: its last policy is no good, which is what it is here to show.',
  loss: { kind: 'policy-gradient', aggregation: 'constant' },
  training: { ...kuhnRae.training, optimiser: 'sgd', rate: { from: 0.5, to: 0.5 } },
};
