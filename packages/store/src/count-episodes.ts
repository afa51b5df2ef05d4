/**
 * @file Counts episodes by environment, cast, versions, end and returns, a stretch at a time: an embedded database runs in this thread and must let
 * others work in between.
 */

import type { EpisodeQuery, EpisodeRecord, EpisodeTally } from '@ludus-agents/kernel/internal/core/index';
import type { Kysely } from 'kysely';
import { searchable } from './log-rows.ts';
import type { Tables } from './schema.ts';

type Query = Omit<EpisodeQuery, 'before' | 'limit'>;

/** `stretch` episodes are counted in one go: this many take some hundredths of a second. */
export async function countEpisodes(db: Kysely<Tables>, query: Query, stretch = 10_000): Promise<readonly EpisodeTally[]> {
  const counts = new Counts();
  for await (const rows of countedRows(db, query, { stretch, each: [] })) for (const row of rows) counts.add(row);
  return counts.tallies();
}

/** The same of each run that has episodes: in as few queries as for one of them. */
export async function countRuns(db: Kysely<Tables>, stretch = 10_000): Promise<ReadonlyMap<string, readonly EpisodeTally[]>> {
  const runs = new Map<string, Counts>();
  for await (const rows of countedRows(db, {}, { stretch, each: ['run'] }))
    for (const { run = null, ...row } of rows) {
      if (run === null) continue;
      const counts = runs.get(run) ?? new Counts();
      counts.add(row);
      runs.set(run, counts);
    }
  return new Map([...runs].map(([run, counts]) => [run, counts.tallies()]));
}

interface CountedRow {
  readonly environment: string;
  readonly casting: string;
  readonly versions: string | null;
  readonly status: EpisodeTally['status'];
  readonly returns: string | null;
  readonly count: number | string | bigint;
}

/** Rows of several stretches, those that are alike added up. */
class Counts {
  readonly #tallies = new Map<string, EpisodeTally>();

  add({ environment, casting, versions, status, returns, count }: CountedRow): void {
    const key = JSON.stringify([environment, casting, versions, status, returns]);
    const before = this.#tallies.get(key) ?? {
      ...{ environment, cast: JSON.parse(casting), status, count: 0 },
      returns: returns === null ? null : JSON.parse(returns),
      ...(versions === null ? {} : { versions: JSON.parse(versions) }),
    };
    this.#tallies.set(key, { ...before, count: before.count + Number(count) });
  }

  tallies(): readonly EpisodeTally[] {
    return [...this.#tallies.values()];
  }
}

async function* countedRows(
  db: Kysely<Tables>,
  query: Query,
  { stretch, each }: { readonly stretch: number; readonly each: readonly 'run'[] },
): AsyncGenerator<readonly (CountedRow & { readonly run?: string | null })[]> {
  for (let after = 0; ; ) {
    const edge = await edgeAfter(db, query, { after, stretch });
    yield await countRows(db, query, { span: [after, edge], each });
    if (edge === null) return;
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

function countRows(
  db: Kysely<Tables>,
  query: EpisodeQuery,
  { span: [after, edge], each }: { readonly span: readonly [number, number | null]; readonly each: readonly 'run'[] },
) {
  const { agent } = query;
  const columns = ['environment', 'casting', 'versions', 'status', 'returns', ...each] as const;
  return narrowQuery(db, query)
    .select((row) => [...columns, row.fn.countAll().as('count')] as const)
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
    .groupBy(columns)
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
