/** @file The route that makes a link to read by: a token with the scope `read`, which the owner can list and revoke like any other. */

import { Hono } from 'hono';
import { createToken, tokensFile } from '../../tokens.ts';
import type { SharedLink } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { reply } from '../request.ts';

/** How long a link is valid, in days. */
const days = 30;

export function share({ place: { cwd } }: StudioContext) {
  return new Hono().post('/', (call) => {
    const wanted = { name: 'studio link', scopes: ['read'], lifetime: days * 86_400_000 } as const;
    const { token, record } = createToken(tokensFile(cwd), wanted, Date.now());
    return reply<SharedLink>(call, { token, id: record.id, days });
  });
}
