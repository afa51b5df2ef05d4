/** @file What `ludus demo` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';

export const demo: CommandDeclaration = {
  declare(command) {
    command
      .option('--seed <n>', 'dice of lesson and match (default: 3)', whole('--seed', 0))
      .option('--games <n>', 'games to learn from, half a minute’s worth unless set', whole('--games', 1))
      .option('--speed <n>', 'events a second (default: 6 on a terminal, else at once)', amount('--speed'));
    withJson(withStore(command));
    examples(command, {
      'ludus demo': 'watch it learn, watch it play, play against it',
      'ludus demo --seed 11': 'another training, another episode',
    });
  },

  load: async () => (await import('../commands/demo.ts')).demo,
};
