/** @file Teachers without their own state: uniform, learnability, two kinds of learning progress, prioritized replay. */

import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { learnability, levelWeights } from '../task-choice.ts';
import type { TaskHistory, Teacher } from './task-teacher.ts';

/** No preference, not even against noise: the control. */
export const uniform: Teacher = { name: 'uniform', weights: (tasks) => tasks.map(() => 0) };

/** Prefers tasks that are solved half of the time. */
export const byLearnability: Teacher = { name: 'learnability', weights: (tasks) => tasks.map(({ value }) => learnability(value)) };

/**
 * Absolute learning progress: the difference between the last ten outcomes of a task and the ten before. Rarely tried tasks count as
 * uncertain.
 */
export const byProgress: Teacher = {
  name: 'alp',
  weights: (tasks) => tasks.map(({ outcomes }) => (outcomes.length < 2 ? 1 : Math.abs(halves(outcomes.slice(-20))))),
};

/** Learning progress from one visit to the next. Fast to react, and the most easily misled by noise. */
export const byChange: Teacher = {
  name: 'nn-alp',
  weights: (tasks) => tasks.map(({ visits, change }) => (visits < 2 ? 1 : change)),
};

/** Prioritized level replay (PLR, arXiv 2010.03934): by rank of surprise and by age; untried tasks come first. */
export function byReplay({ beta = 0.3, stale = 0.1 }: { readonly beta?: number; readonly stale?: number } = {}): Teacher {
  return {
    name: 'plr',
    weights: (tasks, now) =>
      tasks.some(({ visits }) => visits === 0)
        ? tasks.map(({ visits }) => (visits === 0 ? 1 : 0))
        : levelWeights(
            tasks.map(({ surprise, last }: TaskHistory) => ({ surprise, last })),
            { update: now, beta, stale },
          ),
  };
}

/** The mean of the later half minus the mean of the earlier. */
function halves(outcomes: readonly number[]): number {
  const middle = outcomes.length >> 1;
  return meanOrZero(outcomes.slice(middle)) - meanOrZero(outcomes.slice(0, middle));
}
