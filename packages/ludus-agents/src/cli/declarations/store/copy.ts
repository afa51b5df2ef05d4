/** @file What `ludus store copy` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const copy: CommandDeclaration = {
  declare(command) {
    command.argument('<from>', 'a file or postgres://…').argument('<to>', 'a file or postgres://…; created if missing');
    withJson(command);
    examples(command, {
      'ludus store copy .ludus/ludus.sqlite postgres://me@db/ludus': 'copy to a server',
      'ludus store copy postgres://me@db/ludus?schema=lab backup.sqlite': 'a backup in one file',
    });
  },

  load: async () => (await import('../../commands/store/copy.ts')).copy,
};
