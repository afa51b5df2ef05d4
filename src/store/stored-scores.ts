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
export interface StoredScore {
  readonly text: string;
  readonly score: Score;
}

/** By the position of their episode, in the order in which they were stored. */
export async function storedScores(db: Kysely<Tables>, episodes: readonly number[]): Promise<ReadonlyMap<number, readonly StoredScore[]>> {
  if (kept.size >= mostKept) kept = new Map();
  const known = kept;
  const places = await placesOf(db, episodes);
  const read = await bodiesAt(
    db,
    places.filter(({ hash }) => !known.has(hash)).map(({ position }) => Number(position)),
  );
  const found = new Map<number, StoredScore[]>();
  for (const { position, episode, hash } of places) {
    const score = read.get(Number(position)) ?? known.get(hash);
    // Somebody has deleted it between the two queries.
    if (score === undefined) continue;
    if (!known.has(hash) && isAddressOf(hash, score)) known.set(hash, score);
    const list = found.get(Number(episode));
    if (list === undefined) found.set(Number(episode), [score]);
    else list.push(score);
  }
  return found;
}

/** Scores by their address. All are forgotten at once: where scores do not repeat, to choose one would cost more than it saves. */
let kept = new Map<string, StoredScore>();
const mostKept = 4096;
/** Characters of a score that is kept: longer ones seldom come twice. */
const longestKept = 2048;

/** An index alone answers this. */
function placesOf(db: Kysely<Tables>, episodes: readonly number[]) {
  return db.selectFrom('scores').select(['position', 'episode', 'hash']).where('episode', 'in', episodes).orderBy('position').execute();
}

async function bodiesAt(db: Kysely<Tables>, positions: readonly number[]): Promise<ReadonlyMap<number, StoredScore>> {
  const bodies = new Map<number, StoredScore>();
  for (let at = 0; at < positions.length; at += 500) {
    const some = positions.slice(at, at + 500);
    const rows = await db.selectFrom('scores').select(['position', 'body']).where('position', 'in', some).execute();
    for (const { position, body } of rows) bodies.set(Number(position), { text: body, score: freeze(readBack(body) as unknown as Score) });
  }
  return bodies;
}

/** A damaged score stands for itself alone. */
function isAddressOf(address: string, { text, score }: StoredScore): boolean {
  return text.length <= longestKept && digest('sha256', canonical(score as unknown as Json)) === address;
}
