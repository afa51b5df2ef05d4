/**
 * @file What scores say, each text once: the scores of a run are mostly the same few. Episodes refer to a body by its number. No writer
 * remembers numbers from one transaction to the next, so that bodies to which nobody refers can be removed at any time.
 */

import { type Kysely, sql } from 'kysely';
import type { Database, TransactionScope } from './database.ts';
import type { ScoreWrite } from './log-rows.ts';
import type { Tables } from './schema.ts';

type AddressedScore = ScoreWrite['scores'][number];

/** Numbers of bodies, by their address and their text. Mostly an address has one text; others differ in the order of keys, or by damage. */
export type BodyNumbers = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Rows of one statement, and addresses of one query. */
const page = 512;

/** Finds bodies, and writes those that are not there. */
export async function storeBodies(scope: TransactionScope, scores: Iterable<AddressedScore>): Promise<BodyNumbers> {
  const texts = new Map<string, Set<string>>();
  for (const { address, text } of scores) {
    const same = texts.get(address);
    if (same === undefined) texts.set(address, new Set([text]));
    else same.add(text);
  }
  // Sorted, so that two processes that bring the same bodies never wait for each other in a circle.
  const addresses = [...texts.keys()].sort();
  const found = new Map<string, Map<string, number>>();
  for (let at = 0; at < addresses.length; at += page) {
    const some = addresses.slice(at, at + page);
    // What another process has brought in this very moment is looked up again.
    while (!(await addMissing(scope, some, { texts, found })));
  }
  return found;
}

interface Bodies {
  readonly texts: ReadonlyMap<string, ReadonlySet<string>>;
  readonly found: Map<string, Map<string, number>>;
}

/** Finds the bodies of some addresses, and writes the others; false where one of these is there by now. */
async function addMissing(scope: TransactionScope, addresses: readonly string[], { texts, found }: Bodies): Promise<boolean> {
  const next = new Map<string, number>();
  for (const address of addresses) found.set(address, new Map());
  for (const { number, hash, variant, body } of await scope.scoreBodiesOf(addresses)) {
    found.get(hash)!.set(body, Number(number));
    next.set(hash, Number(variant) + 1);
  }
  const missing = addresses.flatMap((hash) => {
    const fresh = [...texts.get(hash)!].filter((text) => !found.get(hash)!.has(text));
    return fresh.map((body, i) => ({ hash, variant: (next.get(hash) ?? 0) + i, body }));
  });
  for (let at = 0; at < missing.length; at += page) {
    const rows = missing.slice(at, at + page);
    const numbers = await scope.scoreBodies(rows);
    if (numbers.includes(null)) return false;
    for (const [i, { hash, body }] of rows.entries()) found.get(hash)!.set(body, numbers[i]!);
  }
  return true;
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
export async function withoutEqual({ db }: TransactionScope, rows: readonly ScoreRow[], bodies: BodyNumbers): Promise<readonly ScoreRow[]> {
  const equal = new Map<number, string>();
  for (const [address, numbers] of bodies) if (numbers.size > 1) for (const number of numbers.values()) equal.set(number, address);
  if (equal.size === 0) return rows;
  const keyOf = ({ episode, score }: ScoreRow) => `${episode} ${equal.get(Number(score))}`;
  const seen = new Set<string>();
  const episodes = [...new Set(rows.flatMap(({ episode, score }) => (equal.has(score) ? [episode] : [])))];
  for (let at = 0; at < episodes.length; at += page) {
    const some = episodes.slice(at, at + page);
    const stored = await db.selectFrom('scores').select(['episode', 'score']).where('episode', 'in', some).execute();
    for (const row of stored) if (equal.has(Number(row.score))) seen.add(keyOf(row));
  }
  return rows.filter((row) => {
    if (!equal.has(row.score)) return true;
    const key = keyOf(row);
    return !seen.has(key) && seen.add(key);
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
