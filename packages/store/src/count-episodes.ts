/**
 * @file Counts episodes by environment, cast, versions, end and returns, a stretch at a time: an embedded database runs in this thread and must let
 * others work in between.
 */

import type { EpisodeQuery, EpisodeRecord, EpisodeTally } from '@ludus-agents/kernel/internal/core/index';
import type { Kysely } from 'kysely';
import { searchable } from './log-rows.ts';
import type { Tables } from './schema.ts';

/** `stretch` episodes are counted in one go: with so many, some hundredths of a second. */
export async function countEpisodes(
  db: Kysely<Tables>,
  query: Omit<EpisodeQuery, 'before' | 'limit'>,
  stretch = 10_000,
): Promise<readonly EpisodeTally[]> {
  const counts = new Map<string, EpisodeTally>();
  for (let after = 0; ; ) {
    const edge = await edgeAfter(db, query, { after, stretch });
    for (const { environment, casting, versions, status, returns, count } of await countRows(db, query, [after, edge])) {
      const key = JSON.stringify([environment, casting, versions, status, returns]);
      const episodeTally = counts.get(key);
      if (episodeTally === undefined)
        counts.set(key, {
          ...{ environment, cast: JSON.parse(casting), status, count: Number(count) },
          returns: returns === null ? null : JSON.parse(returns),
          ...(versions === null ? {} : { versions: JSON.parse(versions) }),
        });
      else counts.set(key, { ...episodeTally, count: episodeTally.count + Number(count) });
    }
    if (edge === null) return [...counts.values()];
    after = edge;
    await new Promise(setImmediate);
  }
}

/** Where the next stretch ends; null where it is the last. */
async function edgeAfter(
  db: Kysely<Tables>,
  query: EpisodeQuery,
  { after, stretch }: { readonly after: number; readonly stretch: number },
): Promise<number | null> {
  const row = await narrowQuery(db, query)
    .select('position')
    .where('position', '>', after)
    .orderBy('position')
    .offset(stretch - 1)
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : Number(row.position);
}

function countRows(db: Kysely<Tables>, query: EpisodeQuery, [after, edge]: readonly [number, number | null]) {
  const { agent } = query;
  return narrowQuery(db, query)
    .select((row) => ['environment', 'casting', 'versions', 'status', 'returns', row.fn.countAll().as('count')] as const)
    .where('position', '>', after)
    .$if(edge !== null, (q) => q.where('position', '<=', edge as number))
    .$if(agent !== undefined, (q) =>
      q.where('position', 'in', (of) =>
        of
          .selectFrom('appearances')
          .select('episode')
          .where('agent', '=', searchable(agent as string))
          .where('episode', '>', after)
          .$if(edge !== null, (builder) => builder.where('episode', '<=', edge as number)),
      ),
    )
    .groupBy(['environment', 'casting', 'versions', 'status', 'returns'])
    .execute();
}

/** The part of a query that an index of the episodes answers. */
function narrowQuery(db: Kysely<Tables>, { run, environment, status }: EpisodeQuery) {
  return db
    .selectFrom('episodes')
    .$if(run !== undefined, (q) => q.where('run', '=', run as string))
    .$if(environment !== undefined, (q) => q.where('environment', '=', environment as string))
    .$if(status !== undefined, (q) => q.where('status', '=', status as EpisodeRecord['status']));
}
