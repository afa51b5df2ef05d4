/** @file `ludus tasks`: tasks made from what was played, and from desks. */

import { type CommandFile, examples, exits } from '../command.ts';

export const tasks: CommandFile = {
  parts: {
    from: { summary: 'The tasks of a run, or those that failed, as a suite', load: async () => (await import('./tasks/from.ts')).from },
    make: { summary: 'Cases made from a desk, proved by gold calls, as a suite', load: async () => (await import('./tasks/make.ts')).make },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus tasks from RUN --failed -o tasks.json': 'what failed, to be played again',
      'ludus tasks make ./shop -o made.json': 'composed, ambiguous and otherwise difficult cases',
      'ludus eval tasks.json --agents ./bot.json': 'it is a suite like any other',
    });
  },

  run: async () => exits.fine,
};
