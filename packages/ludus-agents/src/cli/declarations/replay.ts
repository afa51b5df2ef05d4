/** @file Declares the options, help, and examples of `ludus replay`. */

import { amount, type CommandDeclaration, examples, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';

export const replay: CommandDeclaration = {
  declare(command) {
    command
      .argument('<id>', 'an episode, by the start of its ID')
      .option(...flag('speed'), amount('--speed'))
      .option(...flag('environment', 'the environment file, if it is not built in'));
    withJson(withStore(command));
    examples(command, {
      'ludus replay 3f2a': 'exits with 0 if identical, 1 if not',
      'ludus replay 3f2a --speed 4': 'watch it while it replays',
    });
  },

  load: async () => (await import('../commands/replay.ts')).replay,
};
