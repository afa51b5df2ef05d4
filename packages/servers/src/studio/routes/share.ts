/**
 * @file Routes of read-only links, for the owner only. A link is a token that shows one run, comparison, or episode for some days; the
 * owner sees the valid links and can revoke each.
 */

import { Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { Hono } from 'hono';
import type { SharedPage } from '../../access.ts';
import { NotFound } from '../../app.ts';
import { createToken, readLinks, revokeToken, tokensFile } from '../../tokens.ts';
import type { LinkShown, SharedLink } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { reply } from '../request.ts';
import { shareBody, shareRevokeBody } from '../requests.ts';

export function share({ store, place: { cwd } }: StudioContext) {
  const file = tokensFile(cwd);
  return new Hono()
    .get('/', (call) =>
      reply<readonly LinkShown[]>(
        call,
        readLinks(file).map(({ id, shows, created, expires }) => ({ id, shows, created, expires })),
      ),
    )
    .post('/', shareBody, async (call) => {
      const { of, id, a, b, run, score, days } = call.req.valid('json');
      const shows: SharedPage = of === 'comparison' ? { of, a, b, run, score } : { of, id };
      await checkExists(store, shows);
      const { token, record } = createToken(file, { name: 'read-only link', scopes: [], lifetime: days * 86_400_000, shows }, Date.now());
      return reply<SharedLink>(call, { token, id: record.id, shows, created: record.created, expires: record.expires });
    })
    .post('/revoke', shareRevokeBody, (call) => {
      const { id } = call.req.valid('json');
      if (!readLinks(file).some((link) => link.id === id)) throw new NotFound(`Link "${id.slice(0, 80)}" not found. It may have expired.`);
      revokeToken(file, id, Date.now());
      return reply(call, {});
    });
}

/** A link to a missing item would show whatever gets that name later. */
async function checkExists(store: Store, shows: SharedPage): Promise<void> {
  if (shows.of === 'comparison') {
    if (shows.a === '' || shows.b === '') throw new Fault('input', 'A comparison has two sides: "a" and "b".');
    return;
  }
  const match = shows.of === 'run' ? await store.run(shows.id) : await store.episode(shows.id);
  if (match === null) throw new NotFound(`The ${shows.of} "${shows.id.slice(0, 80)}" was not found in this store.`);
}
