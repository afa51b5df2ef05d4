/** @file What `ludus fleet status` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';

export const fleet: CommandDeclaration = {
  declare(command) {
    command.option('--dead', 'jobs that are not tried again, and why');
    withJson(withStore(command));
    examples(command, {
      'ludus fleet status --store postgres://me@db/ludus': 'how things stand',
      'watch -n 2 ludus fleet status': 'and how they go on',
      'ludus fleet status --dead': 'what nobody could play; the command that offered it offers it again',
    });
  },

  load: async () => (await import('../../commands/fleet/status.ts')).fleet,
};
