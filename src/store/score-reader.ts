/**
 * @file Reads the scores of many episodes. Episodes of a run mostly have one of a few lists of scores: an index says which addresses an episode
 * has, and each list is read and parsed once.
 */

import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { Score } from '../core/index.ts';
import type { Database } from './database.ts';
import { keptScore, storedScores } from './read-stored.ts';
import type { Tables } from './schema.ts';

/** Lists that are kept before all are forgotten, and the most characters of a list: longer ones seldom come twice. */
const [mostLists, longest] = [4096, 4096];
const addressLength = 64;

export class ScoreReader {
  readonly #db: Kysely<Tables>;
  readonly #kind: Database['kind'];
  /** By addresses, in order. Frozen: all episodes that have the same list share it. */
  #lists = new Map<string, readonly Score[]>();

  constructor({ db, kind }: Pick<Database, 'db' | 'kind'>) {
    this.#db = db;
    this.#kind = kind;
  }

  /** By episode; episodes without scores are left out. */
  async read(episodes: readonly string[]): Promise<ReadonlyMap<string, readonly Score[]>> {
    const rows = await this.#db
      .selectFrom('episodes')
      .select((row) => ['id', addressesOf(row, this.#kind).as('addresses')])
      .where('id', 'in', episodes)
      .execute();
    return this.lists(rows);
  }

  /** The same of episodes whose addresses were read; each list is in the order in which its scores were stored. */
  async lists(rows: readonly EpisodeAddresses[]): Promise<ReadonlyMap<string, readonly Score[]>> {
    // A new map, not a cleared one: another reader may be in the middle of the old.
    if (this.#lists.size >= mostLists) this.#lists = new Map();
    const lists = this.#lists;
    const found = new Map<string, readonly Score[]>();
    const unknown = new Map<string, string>();
    for (const { id, addresses } of rows) {
      if (addresses === null) continue;
      const list = lists.get(addresses);
      if (list === undefined) unknown.set(id, addresses);
      else found.set(id, list);
    }
    if (unknown.size === 0) return found;
    const read = new Map<string, { scores: Score[]; length: number }>();
    for (const { id, body } of await storedScores(this.#db, [...unknown.keys()])) {
      const list = read.get(id) ?? { scores: [], length: 0 };
      if (list.length === 0) read.set(id, list);
      list.scores.push(keptScore(body));
      list.length += body.length;
    }
    for (const [id, { scores, length }] of read) {
      found.set(id, Object.freeze(scores));
      const addresses = unknown.get(id)!;
      // Another process may have added a score since the addresses were read.
      if (length <= longest && addresses.length === scores.length * (addressLength + 1) - 1) lists.set(addresses, scores);
    }
    return found;
  }
}

export interface EpisodeAddresses {
  readonly id: string;
  /** Joined by commas; null where there are none. */
  readonly addresses: string | null;
}

/** The addresses of an episode's scores, in order. An index has them: no row of a score is read. */
export function addressesOf(row: ExpressionBuilder<Tables, 'episodes'>, kind: Database['kind']) {
  const [hash, position] = [sql.ref('scores.hash'), sql.ref('scores.position')];
  const joined =
    kind === 'postgres' ? sql`string_agg(${hash}, ',' order by ${position})` : sql`group_concat(${hash}, ',' order by ${position})`;
  return row.selectFrom('scores').select(joined.$castTo<string | null>().as('joined')).whereRef('scores.episode', '=', 'episodes.position');
}
