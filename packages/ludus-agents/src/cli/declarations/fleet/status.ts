/** @file What `ludus fleet status` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';

export const fleet: CommandDeclaration = {
  declare(command) {
    command.option('--dead', 'failed jobs, and why');
    withJson(withStore(command));
    examples(command, {
      'ludus fleet status --store postgres://me@db/ludus': 'show the current state',
      'watch -n 2 ludus fleet status': 'keep watching',
      'ludus fleet status --dead': 'list failed jobs; run the original command again to retry them',
    });
  },

  load: async () => (await import('../../commands/fleet/status.ts')).fleet,
};
