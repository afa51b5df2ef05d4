/** @file `ludus env`: check, solve, and analyze environments. */

import { commandGroup } from '../command.ts';

export const env = commandGroup(
  {
    check: { summary: 'Check an environment against the contract', load: async () => (await import('./env/check.ts')).check },
    coverage: {
      summary: 'Measure how much of an environment agents reach',
      load: async () => (await import('./env/coverage.ts')).coverage,
    },
    solve: { summary: 'Compute optimal play in a small environment', load: async () => (await import('./env/solve.ts')).solve },
    exploit: { summary: 'Compute what a best response wins against a model', load: async () => (await import('./env/exploit.ts')).exploit },
    dream: { summary: 'Learn a simulated environment from episodes', load: async () => (await import('./env/dream.ts')).dream },
    tasks: {
      summary: 'Create tasks from ideas, documents, or repositories',
      load: async () => (await import('./env/task-group.ts')).tasks,
    },
  },
  {
    'ludus env check ./my-game.ts': 'check it before anyone plays it',
    'ludus env solve kuhn-poker': 'its value and an optimal strategy',
    'ludus env exploit local/kuhn-lm-1@best kuhn-poker': 'how far a model is from optimal play',
    'ludus env tasks library ./docs -o questions.json': 'a suite of questions about your documents',
  },
);
