/** @file `ludus store`: the group of commands for whole stores. */

import { type CommandDeclaration, examples } from '../command.ts';

export const store: CommandDeclaration = {
  parts: {
    copy: { summary: 'Copy one store into another and verify it', load: async () => (await import('./store/copy.ts')).copy },
    forget: { summary: 'Delete stored conversations for good', load: async () => (await import('./store/forget.ts')).forget },
    memory: { summary: 'List, edit, and delete what an agent remembers', load: async () => (await import('./store/memory.ts')).memory },
    prune: { summary: 'Delete a run from a store', load: async () => (await import('./store/prune.ts')).prune },
    roles: {
      summary: 'Print the SQL grants for workers and readers of a PostgreSQL store',
      load: async () => (await import('./store/roles.ts')).roles,
    },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus store copy .ludus/ludus.sqlite postgres://me@db/ludus': 'from a file to a server; repeat to resume',
      'ludus store copy postgres://me@db/ludus backup.sqlite': 'and back',
      'ludus store prune baseline --yes': 'delete a run',
      'ludus store roles --worker ludus_worker --store postgres://owner@db/ludus': 'the rights of a worker, as SQL',
    });
  },
};
