/**
 * @file Reads the scores of episodes. Those of a run are mostly the same few: an index says which addresses an episode has, and of most
 * addresses the body was read before.
 */

import { hash as digest } from 'node:crypto';
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { canonical, freeze, type Json, type Score } from '../core/index.ts';
import { readBack } from './append-rules.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** A score as it is stored, and what it says; frozen, because all episodes that have the same share it. */
interface StoredScore {
  readonly text: string;
  readonly score: Score;
}

/** Scores of one store, with a cache: the content of an address never changes. */
export class StoredScores {
  readonly #db: Kysely<Tables>;
  #kept = new Map<string, StoredScore>();
  /** By addresses, in order. Frozen: all episodes that have the same list share it. */
  #lists = new Map<string, readonly Score[]>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** By the position of their episode, in the order in which they were stored. */
  async at(episodes: readonly number[]): Promise<ReadonlyMap<number, readonly StoredScore[]>> {
    // All are forgotten at once: where scores do not repeat, to choose one would cost more than it saves.
    if (this.#kept.size >= mostKept) this.#kept = new Map();
    const kept = this.#kept;
    // The index alone answers this.
    const places = await this.#db
      .selectFrom('scores')
      .select(['position', 'episode', 'hash'])
      .where('episode', 'in', episodes)
      .orderBy('position')
      .execute();
    const unknown = places.filter(({ hash }) => !kept.has(hash));
    const read = await this.#bodies(unknown.map(({ position }) => Number(position)));
    const found = new Map<number, StoredScore[]>();
    for (const { position, episode, hash } of places) {
      const score = read.get(Number(position)) ?? kept.get(hash);
      // Somebody has deleted it between the two queries.
      if (score === undefined) continue;
      if (!kept.has(hash) && isAddressOf(hash, score)) kept.set(hash, score);
      const list = found.get(Number(episode));
      if (list === undefined) found.set(Number(episode), [score]);
      else list.push(score);
    }
    return found;
  }

  /** Lists of scores by the position of their episode, of episodes whose addresses were read; an episode without scores is left out. */
  async lists(rows: readonly EpisodeAddresses[]): Promise<ReadonlyMap<number, readonly Score[]>> {
    // A new map, not a cleared one: another reader may be in the middle of the old.
    if (this.#lists.size >= mostKept) this.#lists = new Map();
    const lists = this.#lists;
    const found = new Map<number, readonly Score[]>();
    const unknown = new Map<number, string>();
    for (const { position, addresses } of rows) {
      if (addresses === null) continue;
      const list = lists.get(addresses);
      if (list === undefined) unknown.set(Number(position), addresses);
      else found.set(Number(position), list);
    }
    if (unknown.size === 0) return found;
    for (const [position, stored] of await this.at([...unknown.keys()])) {
      const scores = Object.freeze(stored.map(({ score }) => score));
      found.set(position, scores);
      const addresses = unknown.get(position)!;
      const length = stored.reduce((sum, { text }) => sum + text.length, 0);
      // Another process may have added a score since the addresses were read.
      if (length <= longestList && addresses.length === scores.length * (addressLength + 1) - 1) lists.set(addresses, scores);
    }
    return found;
  }

  async #bodies(positions: readonly number[]): Promise<ReadonlyMap<number, StoredScore>> {
    const bodies = new Map<number, StoredScore>();
    for (let at = 0; at < positions.length; at += 500) {
      const some = positions.slice(at, at + 500);
      const rows = await this.#db.selectFrom('scores').select(['position', 'body']).where('position', 'in', some).execute();
      for (const { position, body } of rows)
        bodies.set(Number(position), { text: body, score: freeze(readBack(body) as unknown as Score) });
    }
    return bodies;
  }
}

const mostKept = 4096;
/** Characters of a score and of a list that are kept: longer ones seldom come twice. */
const [longestKept, longestList] = [2048, 4096];
const addressLength = 64;

interface EpisodeAddresses {
  readonly position: number | string;
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

/** One that is not what its address says stands for itself alone. */
function isAddressOf(address: string, { text, score }: StoredScore): boolean {
  return text.length <= longestKept && digest('sha256', canonical(score as unknown as Json)) === address;
}
