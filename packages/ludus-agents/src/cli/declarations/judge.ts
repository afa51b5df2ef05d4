/** @file `ludus judge`: measure, build, and review judges. */

import { commandGroup } from '../command.ts';

export const judge = commandGroup(
  {
    trust: { summary: 'Measure how reliable a judge is', load: async () => (await import('./judge/trust.ts')).trust },
    induce: { summary: 'Derive a rubric from written feedback', load: async () => (await import('./judge/induce.ts')).induce },
    reward: { summary: 'Train a reward model on a run', load: async () => (await import('./judge/reward.ts')).reward },
    review: { summary: 'Label episodes yourself and measure agreement', load: async () => (await import('./judge/review.ts')).review },
  },
  {
    'ludus judge trust coser --judge openai/gpt-5-mini': 'how reliable this model is with this rubric',
    'ludus judge review RUN --pairs': 'two episodes at a time, blind',
    'ludus judge induce RUN --judge openai/gpt-5-mini': 'a rubric from the notes of reviewers',
  },
);
