/** @file What `ludus store prune` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const prune: CommandDeclaration = {
  declare(command) {
    command.argument('<run>', 'a run, by name or the start of its ID').option(...flag('yes'));
    withJson(withStore(command));
    examples(command, { 'ludus store prune baseline --yes': 'data shared with other runs stays' });
  },

  load: async () => (await import('../../commands/store/prune.ts')).prune,
};
