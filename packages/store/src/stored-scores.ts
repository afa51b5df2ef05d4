/**
 * @file Reads the scores of episodes. Those of a run are mostly the same few: an index says which numbers an episode has, and of most numbers
 * the body was read before.
 */

import { freeze, type Score } from '@ludus-agents/kernel/internal/core/index';
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { readBack } from './append-rules.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** A stored score and its body; frozen, because all episodes with the same score share it. */
interface StoredScore {
  readonly number: number;
  readonly text: string;
  readonly score: Score;
}

/** Scores of one store, with a cache: the body of a number never changes. */
export class StoredScores {
  readonly #db: Kysely<Tables>;
  #kept = new Map<number, StoredScore>();
  /** By numbers, in order. Frozen: all episodes that have the same list share it. */
  #lists = new Map<string, readonly Score[]>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** By the position of their episode, in the order in which they were stored. */
  async at(episodes: readonly number[]): Promise<ReadonlyMap<number, readonly StoredScore[]>> {
    // Clears everything: if scores do not repeat, choosing an entry to evict would cost more than it saves.
    if (this.#kept.size >= mostKept) this.#kept = new Map();
    const retained = this.#kept;
    // The index alone answers this.
    const rows = await this.#db
      .selectFrom('scores')
      .select(['episode', 'score'])
      .where('episode', 'in', episodes)
      .orderBy('position')
      .execute();
    const unknown = new Set<number>();
    for (const { score } of rows) if (!retained.has(Number(score))) unknown.add(Number(score));
    const read = await this.#bodies([...unknown]);
    const matches = new Map<number, StoredScore[]>();
    for (const { episode, score: number } of rows) {
      const score = retained.get(Number(number)) ?? read.get(Number(number));
      // Someone has deleted it between the two queries.
      if (score === undefined) continue;
      const list = matches.get(Number(episode));
      if (list === undefined) matches.set(Number(episode), [score]);
      else list.push(score);
    }
    for (const [number, score] of read) if (score.text.length <= longestKept) retained.set(number, score);
    return matches;
  }

  /** Lists of scores by the position of their episode, for the given rows; an episode without scores is omitted. */
  async lists(rows: readonly EpisodeScores[]): Promise<ReadonlyMap<number, readonly Score[]>> {
    // A new map, not a cleared one: another reader may be in the middle of the old.
    if (this.#lists.size >= mostKept) this.#lists = new Map();
    const lists = this.#lists;
    const matches = new Map<number, readonly Score[]>();
    const unknown: number[] = [];
    for (const { position, scores } of rows) {
      if (scores === null) continue;
      const list = lists.get(scores);
      if (list === undefined) unknown.push(Number(position));
      else matches.set(Number(position), list);
    }
    if (unknown.length === 0) return matches;
    for (const [position, stored] of await this.at(unknown)) {
      const scores = Object.freeze(stored.map(({ score }) => score));
      matches.set(position, scores);
      const length = stored.reduce((sum, { text }) => sum + text.length, 0);
      if (length <= longestList) lists.set(stored.map(({ number }) => number).join(','), scores);
    }
    return matches;
  }

  async #bodies(numbers: readonly number[]): Promise<ReadonlyMap<number, StoredScore>> {
    const bodies = new Map<number, StoredScore>();
    for (let at = 0; at < numbers.length; at += 500) {
      const partialNumbers = numbers.slice(at, at + 500);
      const rows = await this.#db.selectFrom('score_bodies').select(['number', 'body']).where('number', 'in', partialNumbers).execute();
      for (const { number, body } of rows)
        bodies.set(Number(number), { number: Number(number), text: body, score: freeze(readBack(body) as Score) });
    }
    return bodies;
  }
}

const mostKept = 4096;
/** The longest scores and lists that are cached, in characters: longer ones rarely repeat. */
const [longestKept, longestList] = [2048, 4096];

interface EpisodeScores {
  readonly position: number | string;
  /** Numbers joined by commas; null if there are none. */
  readonly scores: string | null;
}

/** The numbers of an episode's scores, in order. An index has them: no row of a score is read. */
export function scoreNumbersOf(row: ExpressionBuilder<Tables, 'episodes'>, kind: Database['kind']) {
  const [score, position] = [sql.ref('scores.score'), sql.ref('scores.position')];
  const joined =
    kind === 'postgres' ? sql`string_agg(${score}::text, ',' order by ${position})` : sql`group_concat(${score}, ',' order by ${position})`;
  return row.selectFrom('scores').select(joined.$castTo<string | null>().as('joined')).whereRef('scores.episode', '=', 'episodes.position');
}
