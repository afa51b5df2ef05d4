/** @file What `ludus store roles` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';

export const roles: CommandDeclaration = {
  declare(command) {
    command.option('--worker <role>', 'a role that plays and scores').option('--reader <role>', 'a role that only looks');
    withJson(withStore(command));
    examples(command, {
      'ludus store roles --worker ludus_worker --store postgres://owner@db/ludus | psql': 'grant what a worker needs, and nothing else',
    });
  },

  load: async () => (await import('../../commands/store/roles.ts')).roles,
};
