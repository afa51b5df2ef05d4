/** @file `ludus config`: API keys, access tokens, and what imported data may do. */

import { scopes } from '@ludus-agents/servers/internal/access';
import { type CommandDeclaration, commandGroup, examples, withJson } from '../command.ts';

const allow: CommandDeclaration = {
  declare(command) {
    command
      .argument(
        '[what]',
        'what to trust: a folder, a file, an address, hf:REPO, tools:NAME, cmd:COMMAND, or env:NAME; without it, list what is trusted',
      )
      .option('--remove', 'remove the permission');
    withJson(command);
    examples(command, {
      'ludus config allow .': 'trust the configuration in this folder',
      'ludus config allow ./worlds/harbor.mjs': 'let logs and jobs load this environment',
      'ludus config allow http://localhost:8000': 'let imported agents call this server',
      'ludus config allow tools:desk': 'let imported agents use this toolbox from LUDUS_TOOLS',
      'ludus config allow "cmd:node bot.js"': 'let imported bots run this command',
      'ludus config allow env:SHOP_TOKEN': 'and read this environment variable',
      'ludus config allow http://localhost:8000 --remove': 'revoke it',
    });
    command.addHelpText(
      'after',
      '\nThings you type yourself, or a plan that you name, need no permission;\ndata from imports, logs, and journals does.\nThe list is stored in LUDUS_HOME (~/.config/ludus).',
    );
  },

  load: async () => (await import('../commands/config.ts')).allow,
};

const keys: CommandDeclaration = {
  declare(command) {
    command
      .argument('[action]', 'list, set, or remove', 'list')
      .argument('[name]', 'a variable such as OPENAI_API_KEY, or the server the key is for; the key is sent only there');
    withJson(command);
    examples(command, {
      'ludus config keys': 'list the keys and their servers',
      'ludus config keys set https://models.example.org < key.txt': 'store a key for one server',
      'ludus config keys remove https://models.example.org': 'remove it',
    });
  },

  load: async () => (await import('../commands/config.ts')).keys,
};

const createToken: CommandDeclaration = {
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

  load: async () => (await import('../commands/config.ts')).createToken,
};

const listTokens: CommandDeclaration = {
  declare(command) {
    withJson(command);
  },

  load: async () => (await import('../commands/config.ts')).listTokens,
};

const revokeToken: CommandDeclaration = {
  declare(command) {
    withJson(command.argument('<id>', 'the token, as "ludus config tokens list" names it'));
  },

  load: async () => (await import('../commands/config.ts')).revokeToken,
};

const rotateToken: CommandDeclaration = {
  declare(command) {
    withJson(command.argument('<id>', 'the token, as "ludus config tokens list" names it'));
  },

  load: async () => (await import('../commands/config.ts')).rotateToken,
};

const tokens = commandGroup(
  {
    create: { summary: 'Create a token with scopes and an expiry', ...createToken },
    list: { summary: 'List tokens without their secrets', ...listTokens },
    revoke: { summary: 'Revoke a token', ...revokeToken },
    rotate: { summary: 'Replace the secret of a token', ...rotateToken },
  },
  {
    'ludus config tokens create --scope read,play --expires 7d': 'for a trainer: it can read and play, but not spend money',
    'ludus config tokens list': 'list all tokens',
    'ludus config tokens rotate ID': 'a new secret; the old one stops working at once',
    'ludus config tokens revoke ID': 'stops working at once, on running servers too',
  },
);

export const config = commandGroup(
  {
    keys: { summary: 'List, set, and remove API keys', ...keys },
    tokens: { summary: 'Create and revoke access tokens for servers', ...tokens },
    allow: { summary: 'Trust a folder, a command, or an address', ...allow },
  },
  {
    'ludus config keys': 'list the API keys and their servers',
    'ludus config tokens create --scope read,play': 'a token for another program',
    'ludus config allow .': 'trust the configuration of this folder',
  },
);
