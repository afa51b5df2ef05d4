/** @file `ludus token`: who may call the servers of this folder, and for what. */

import { type CommandDeclaration, examples } from '../command.ts';

export const token: CommandDeclaration = {
  parts: {
    create: { summary: 'Make a token with scopes and an end', load: async () => (await import('./token/commands.ts')).create },
    list: { summary: 'Tokens of this folder, without their secrets', load: async () => (await import('./token/commands.ts')).list },
    revoke: { summary: 'Refuse a token from now on', load: async () => (await import('./token/commands.ts')).revoke },
    rotate: { summary: 'A new secret for a token', load: async () => (await import('./token/commands.ts')).rotate },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus token create --scope read,play --expires 7d': 'for a trainer: it may look and play, but spend nothing',
      'ludus token list': 'all of them, by id',
      'ludus token rotate ID': 'a new secret; the old one is refused at once',
      'ludus token revoke ID': 'refused from now on, also by servers that run',
    });
  },
};
