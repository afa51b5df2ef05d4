/** @file `ludus desk tasks`: create test cases for desks and bots. */

import { commandGroup } from '../../command.ts';

export const tasks = commandGroup(
  {
    from: { summary: 'Turn the tasks of a run into a suite', load: async () => (await import('./tasks/from.ts')).from },
    make: { summary: 'Generate cases from a desk, proven by gold calls', load: async () => (await import('./tasks/make.ts')).make },
    observe: { summary: 'Turn recorded conversations into a suite', load: async () => (await import('./tasks/observe.ts')).observe },
  },
  {
    'ludus desk tasks from RUN --failed -o tasks.json': 'a suite of the tasks that failed',
    'ludus desk tasks make ./shop -o made.json': 'composed, ambiguous, and other difficult cases',
    'ludus eval tasks.json --agents ./bot.json': 'the result is an ordinary suite',
  },
);
