/** @file What `ludus show blame` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';

export const blame: CommandDeclaration = {
  declare(command) {
    command.argument('<episode>', 'an episode, or the first letters of its id');
    withJson(withStore(command));
    examples(command, {
      'ludus show blame 3f2a': 'which answer went wrong first, and what depends on it',
      'ludus show blame 3f2a --json': 'the same, with the place of each wrong answer in the log',
    });
  },

  load: async () => (await import('../../commands/show/blame.ts')).blame,
};
