/** @file What `ludus replay` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';

export const replay: CommandDeclaration = {
  declare(command) {
    command
      .argument('<id>', 'an episode, or the first letters of its id')
      .option(...flag('speed'), amount('--speed'))
      .option(...flag('environment', 'the rules, when they are not built in'));
    withJson(withStore(command));
    examples(command, {
      'ludus replay 3f2a': 'exit code 0 when identical, 1 when not',
      'ludus replay 3f2a --speed 4': 'watch it while it is compared',
    });
  },

  load: async () => (await import('../commands/replay.ts')).replay,
};
