/**
 * @file What scores say, each text once: the scores of a run are mostly the same few. Episodes refer to a body by its number. No writer
 * remembers numbers from one transaction to the next, so unreferenced bodies can be removed at any time.
 */

import { type Kysely, sql } from 'kysely';
import type { Database, TransactionScope } from './database.ts';
import type { ScoreWrite } from './log-rows.ts';
import type { ScoreBodiesTable, Tables } from './schema.ts';

type AddressedScore = ScoreWrite['scores'][number];

interface Bodies {
  /** The bodies to look up, by text. */
  readonly wanted: Map<string, AddressedScore>;
  /** By text. */
  readonly numbers: Map<string, number>;
  /** Addresses by number, where an address has several texts: they differ in the order of keys, or by damage. */
  readonly equal: Map<number, string>;
}

/** Rows of one statement, and addresses of one query. */
const page = 512;

/** Finds bodies, and writes those that are not there. */
export async function storeBodies(scope: TransactionScope, scores: Iterable<AddressedScore>): Promise<Bodies> {
  const bodies: Bodies = { wanted: new Map(), numbers: new Map(), equal: new Map() };
  for (const score of scores) bodies.wanted.set(score.text, score);
  // Sorted by address, so two processes that write the same bodies cannot deadlock.
  const sorted = [...bodies.wanted.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
  for (let at = 0; at < sorted.length; at += page) {
    const subset = sorted.slice(at, at + page);
    // Bodies that another process has just added are looked up again.
    while (!(await addBodies(scope, subset, bodies)));
  }
  return bodies;
}

/** Finds bodies, and writes one of each address that has some missing; false where this has to be done again. */
async function addBodies(scope: TransactionScope, sorted: readonly AddressedScore[], bodies: Bodies): Promise<boolean> {
  const { wanted, numbers, equal } = bodies;
  const last = new Map<string, { readonly number: number; readonly variant: number }>();
  const add = (number: number, { hash, variant, body }: Omit<ScoreBodiesTable, 'number'>) => {
    const other = last.get(hash)?.number ?? number;
    if (other !== number) equal.set(number, hash).set(other, hash);
    last.set(hash, { number, variant });
    if (wanted.get(body)?.address === hash) numbers.set(body, number);
  };
  for (const { number, ...row } of await scope.scoreBodiesOf(sorted.map(({ address }) => address))) add(number, row);
  const missing: Omit<ScoreBodiesTable, 'number'>[] = [];
  let isWhole = true;
  for (const { address: hash, text: body } of sorted) {
    if (numbers.has(body)) continue;
    if (missing.at(-1)?.hash === hash) isWhole = false;
    else missing.push({ hash, variant: (last.get(hash)?.variant ?? -1) + 1, body });
  }
  if (missing.length === 0) return true;
  for (const [i, number] of (await scope.scoreBodies(missing)).entries()) {
    if (number === null) isWhole = false;
    else add(number, missing[i]!);
  }
  return isWhole;
}

/** A score that an episode is to have. */
interface ScoreRow {
  readonly episode: number;
  readonly score: number;
}

/**
 * The rows without those that repeat a score of their episode in another text. The index of the table holds that an episode has no number twice;
 * of several numbers of one address only this knows that they are equal.
 */
export async function withoutEqual(
  { db }: TransactionScope,
  rows: readonly ScoreRow[],
  equal: ReadonlyMap<number, string>,
): Promise<readonly ScoreRow[]> {
  if (equal.size === 0) return rows;
  const keyOf = ({ episode, score }: ScoreRow) => `${episode} ${equal.get(Number(score))}`;
  const visited = new Set<string>();
  const episodes = [...new Set(rows.flatMap(({ episode, score }) => (equal.has(score) ? [episode] : [])))];
  for (let at = 0; at < episodes.length; at += page) {
    const partialEpisodes = episodes.slice(at, at + page);
    const stored = await db.selectFrom('scores').select(['episode', 'score']).where('episode', 'in', partialEpisodes).execute();
    for (const row of stored) if (equal.has(Number(row.score))) visited.add(keyOf(row));
  }
  return rows.filter((row) => {
    if (!equal.has(row.score)) return true;
    const key = keyOf(row);
    return !visited.has(key) && visited.add(key);
  });
}

/** Removes the bodies to which no episode refers. On a server it waits for the transactions that have looked some up. */
export async function removeUnusedBodies(db: Kysely<Tables>, kind: Database['kind']): Promise<void> {
  if (kind === 'postgres') await sql`lock table score_bodies in access exclusive mode`.execute(db);
  await db
    .deleteFrom('score_bodies')
    .where('number', 'in', db.selectFrom('score_bodies').select('number').except(db.selectFrom('scores').select('score as number')))
    .execute();
}
