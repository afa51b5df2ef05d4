/** @file What `ludus config tokens commands` takes: its options, help and examples. */

import { scopes } from '@ludus-agents/servers/internal/access';
import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const create: CommandDeclaration = {
  declare(command) {
    command
      .option('--scope <list>', `what the token allows: ${scopes.join(', ')}; admin includes all others`, 'read,play')
      .option('--expires <time>', 'when the token expires: 30m, 12h, 7d, or never', '30d')
      .option('--name <text>', 'a note about the owner');
    withJson(command);
    examples(command, {
      'ludus config tokens create --scope read,play --expires 7d': 'read transcripts, and play against free opponents',
      'ludus config tokens create --scope spend --name agent': 'call models through the recording proxy',
    });
  },

  load: async () => (await import('../../commands/config/tokens.ts')).create,
};

export const list: CommandDeclaration = {
  declare(command) {
    withJson(command);
  },

  load: async () => (await import('../../commands/config/tokens.ts')).list,
};

export const revoke: CommandDeclaration = {
  declare(command) {
    withJson(command.argument('<id>', 'the token, as "ludus config tokens list" names it'));
  },

  load: async () => (await import('../../commands/config/tokens.ts')).revoke,
};

export const rotate: CommandDeclaration = {
  declare(command) {
    withJson(command.argument('<id>', 'the token, as "ludus config tokens list" names it'));
  },

  load: async () => (await import('../../commands/config/tokens.ts')).rotate,
};
