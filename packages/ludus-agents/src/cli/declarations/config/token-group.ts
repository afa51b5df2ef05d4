/** @file `ludus config tokens`: who may call the servers of this folder, and for what. */

import { commandGroup } from '../../command.ts';

export const tokens = commandGroup(
  {
    create: { summary: 'Create a token with scopes and an expiry', load: async () => (await import('./tokens.ts')).create },
    list: { summary: 'List tokens without their secrets', load: async () => (await import('./tokens.ts')).list },
    revoke: { summary: 'Revoke a token', load: async () => (await import('./tokens.ts')).revoke },
    rotate: { summary: 'Replace the secret of a token', load: async () => (await import('./tokens.ts')).rotate },
  },
  {
    'ludus config tokens create --scope read,play --expires 7d': 'for a trainer: it can read and play, but not spend money',
    'ludus config tokens list': 'list all tokens',
    'ludus config tokens rotate ID': 'a new secret; the old one stops working at once',
    'ludus config tokens revoke ID': 'stops working at once, on running servers too',
  },
);
