/**
 * @file Reads the scores of many episodes. Episodes of a run mostly have one of a few lists of scores: an index says which addresses an episode
 * has, and each list is read and parsed once.
 */

import { type Kysely, sql } from 'kysely';
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

  /** By episode, in the order in which its scores were stored; episodes without scores are left out. */
  async read(episodes: readonly string[]): Promise<ReadonlyMap<string, readonly Score[]>> {
    // A new map, not a cleared one: another reader may be in the middle of the old.
    if (this.#lists.size >= mostLists) this.#lists = new Map();
    const lists = this.#lists;
    const found = new Map<string, readonly Score[]>();
    const unknown = new Map<string, string>();
    for (const { id, addresses } of await this.#addresses(episodes)) {
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

  /** The addresses of each episode's scores, in order. An index has them: no row of a score is read. */
  async #addresses(episodes: readonly string[]): Promise<readonly { readonly id: string; readonly addresses: string | null }[]> {
    const joined =
      this.#kind === 'postgres'
        ? sql<string | null>`string_agg(hash, ',' order by position)`
        : sql<string | null>`group_concat(hash, ',' order by position)`;
    return this.#db
      .selectFrom('episodes')
      .select((row) => [
        'id',
        row.selectFrom('scores').select(joined.as('joined')).whereRef('scores.episode', '=', 'episodes.position').as('addresses'),
      ])
      .where('id', 'in', episodes)
      .execute();
  }
}
