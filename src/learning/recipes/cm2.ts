/** @file A checklist, credited to the turn that first meets each item. */

import type { Recipe } from '../recipe.ts';
import { usual } from './_parts.ts';

export const cm2: Recipe = {
  ...usual,
  name: 'cm2',
  method: 'CM2',
  source: 'github.com/namezhenzhang/CM2-RLCR-Tool-Agent',
  differs: 'Means by prompt and turn, under importance weights.',
  assignment: { kind: 'checklist' },
  baseline: { kind: 'group', key: ['prompt', 'turn'], center: 'mean', scale: 'none' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'constant', length: 1 },
  rollout: { kind: 'group', size: 32 },
  importance: 2,
};
