/** @file `ludus store`: the group of commands for whole stores. */

import { type CommandDeclaration, examples } from '../command.ts';

export const store: CommandDeclaration = {
  parts: {
    copy: { summary: 'Everything from one store into another, verified', load: async () => (await import('./store/copy.ts')).copy },
    forget: { summary: 'Delete stored conversations for good', load: async () => (await import('./store/forget.ts')).forget },
    memory: { summary: 'List, edit, and delete what an agent remembers', load: async () => (await import('./store/memory.ts')).memory },
    prune: { summary: 'Take a run out of a store', load: async () => (await import('./store/prune.ts')).prune },
    roles: {
      summary: 'What to grant to workers and readers of a PostgreSQL store',
      load: async () => (await import('./store/roles.ts')).roles,
    },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus store copy .ludus/ludus.sqlite postgres://me@db/ludus': 'from a file to a server; again to go on',
      'ludus store copy postgres://me@db/ludus backup.sqlite': 'and back',
      'ludus store prune baseline --yes': 'a run that is not needed any more',
      'ludus store roles --worker ludus_worker --store postgres://owner@db/ludus': 'the rights of a worker, as SQL',
    });
  },
};
