/** @file Choices shared by many recipes, so that each recipe only lists its own. */

import type { Baseline, Recipe, Training } from '../recipe.ts';

/** Kuhn poker with the tabular learner, where any method can be tried in a second. */
export const kuhn: Training = {
  environment: 'kuhn-poker',
  optimiser: 'adam',
  rate: { from: 0.03, to: 0.001 },
  games: 100_000,
  batch: 128,
  learner: 'table',
  sizes: { width: 32, layers: 1, heads: 2, context: 128 },
  opponents: 'self',
  ahead: false,
};

/** A pool of ladders, some easy, some hard and some impossible: tasks are solved, retired, repeated and left out. */
export const ladderPool: Training = {
  ...kuhn,
  environment: 'ladder',
  task: { pool: 60, rungs: 2, holds: 3 },
  rate: { from: 0.1, to: 0.03 },
  games: 12_800,
};

/** GRPO's normalization: mean and deviation of the same prompt's episodes. */
export const zScore: Baseline = { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'std' };

/** Dr. GRPO's normalization: only the mean of the same prompt's episodes. */
export const meanOnly: Baseline = { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'none' };

/** The defaults: outcome rewards, groups of eight, no replay, all tasks alike. */
export const usual: Pick<Recipe, 'assignment' | 'rollout' | 'replay' | 'curriculum' | 'importance' | 'training'> = {
  assignment: { kind: 'outcome' },
  rollout: { kind: 'group', size: 8 },
  replay: { kind: 'none' },
  curriculum: { kind: 'uniform' },
  importance: null,
  training: kuhn,
};
