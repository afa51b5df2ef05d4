/**
 * @file Reads the scores of episodes. Those of a run are mostly the same few: an index says which addresses an episode has, and of most
 * addresses the body was read before.
 */

import { hash as digest } from 'node:crypto';
import type { Kysely } from 'kysely';
import { canonical, freeze, type Json, type Score } from '../core/index.ts';
import { readBack } from './append-rules.ts';
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
/** Characters of a score that is kept: longer ones seldom come twice. */
const longestKept = 2048;

/** One that is not what its address says stands for itself alone. */
function isAddressOf(address: string, { text, score }: StoredScore): boolean {
  return text.length <= longestKept && digest('sha256', canonical(score as unknown as Json)) === address;
}
