/** @file `ludus config`: API keys, access tokens, and what imported data may do. */

import { commandGroup } from '../command.ts';

export const config = commandGroup(
  {
    keys: { summary: 'List, set, and remove API keys', load: async () => (await import('./config/keys.ts')).keys },
    tokens: { summary: 'Create and revoke access tokens for servers', load: async () => (await import('./config/token-group.ts')).tokens },
    allow: { summary: 'Trust a folder, a command, or an address', load: async () => (await import('./config/allow.ts')).allow },
  },
  {
    'ludus config keys': 'which API keys are set, and for which server',
    'ludus config tokens create --scope read,play': 'a token for another program',
    'ludus config allow .': 'trust the configuration of this folder',
  },
);
