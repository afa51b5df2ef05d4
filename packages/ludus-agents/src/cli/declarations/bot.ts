/** @file `ludus bot`: existing bots that are to take a seat. */

import { type CommandDeclaration, examples } from '../command.ts';

export const bot: CommandDeclaration = {
  parts: {
    check: { summary: 'Talk to a bot, and say what it can and cannot do', load: async () => (await import('./bot/check.ts')).check },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus bot check ./bot.json': 'does it answer, how fast, does it remember?',
      'ludus play chat --character ./bot.json': 'then it takes a seat like any other agent',
    });
  },
};
