/** @file Reads many episodes in a few queries: a query for each of a hundred thousand costs more than all that it finds. */

import { setImmediate as breath } from 'node:timers/promises';
import type { Kysely, Selectable } from 'kysely';
import {
  type EpisodeEvent,
  type EpisodeParts,
  type EpisodeRecord,
  freeze,
  type Json,
  type Score,
  type StoredEpisode,
} from '../core/index.ts';
import { readBack, turnsOf } from './append-rules.ts';
import type { EpisodesTable, Tables } from './schema.ts';
import type { ScoreReader } from './score-reader.ts';
import type { Pieces } from './shared-parts.ts';
import { TextMemo } from './text-memo.ts';

interface Source {
  readonly db: Kysely<Tables>;
  readonly pieces: Pieces;
  readonly scores: ScoreReader;
}

/** Episodes of one query: few enough that what they take is no pause to anyone who waits for this process. */
const page = { logs: 100, others: 500 } as const;

export async function readStored(
  source: Source,
  episodes: readonly string[],
  parts: EpisodeParts,
): Promise<ReadonlyMap<string, StoredEpisode>> {
  const found = new Map<string, StoredEpisode>();
  const size = parts.events === true ? page.logs : page.others;
  for (let at = 0; at < episodes.length; at += size) {
    const ids = episodes.slice(at, at + size);
    // SQLite answers at once: without a pause nothing else of this process would run until all is read.
    await breath();
    const records = parts.record === true ? await recordsById(source, ids) : null;
    const logs = parts.events === true ? await logsById(source, ids) : null;
    const scores = parts.scores === true ? await source.scores.read(ids) : null;
    for (const id of ids) found.set(id, { record: records?.get(id) ?? null, events: logs?.get(id) ?? [], scores: scores?.get(id) ?? [] });
  }
  return found;
}

async function recordsById({ db, pieces }: Source, ids: readonly string[]): Promise<ReadonlyMap<string, EpisodeRecord>> {
  const rows = await db.selectFrom('episodes').selectAll().where('id', 'in', ids).execute();
  return new Map((await recordsOf(rows, pieces)).map((record) => [record.id, record]));
}

/** Pieces of logs as they are stored, in order, with the number of events in each. */
export function storedChunks(db: Kysely<Tables>, ids: readonly string[]) {
  return db
    .selectFrom('chunks')
    .innerJoin('episodes', 'episodes.position', 'chunks.episode')
    .select(['episodes.id', 'count', 'body'])
    .where('episodes.id', 'in', ids)
    .orderBy('chunks.episode')
    .orderBy('first')
    .execute();
}

/** Scores as they are stored, in order. */
export function storedScores(db: Kysely<Tables>, ids: readonly string[]) {
  return db
    .selectFrom('scores')
    .innerJoin('episodes', 'episodes.position', 'scores.episode')
    .select(['episodes.id', 'body'])
    .where('episodes.id', 'in', ids)
    .orderBy('scores.position')
    .execute();
}

async function logsById({ db, pieces }: Source, ids: readonly string[]): Promise<ReadonlyMap<string, readonly EpisodeEvent[]>> {
  const rows = await storedChunks(db, ids);
  const logs = new Map<string, string[]>();
  for (const { id, body } of rows) {
    const bodies = logs.get(id);
    if (bodies === undefined) logs.set(id, [body]);
    else bodies.push(body);
  }
  const packed = [...logs.values()].map((bodies) => readBack(`[${bodies.join(',')}]`));
  const events = (await pieces.unpack(packed)) as unknown as readonly (readonly EpisodeEvent[])[];
  return new Map([...logs.keys()].map((id, i) => [id, events[i]!]));
}

/** What lists show, from rows of the table. */
export async function recordsOf(rows: readonly Selectable<EpisodesTable>[], pieces: Pieces): Promise<readonly EpisodeRecord[]> {
  // Tasks that refer to shared values are rare, and these are put into them; all others are shared themselves.
  const packed = rows.filter(({ task }) => task.includes(reference));
  const unpacked = packed.length === 0 ? [] : await pieces.unpack(packed.map(({ task }) => readBack(task)));
  let next = 0;
  return rows.map(
    (row): EpisodeRecord => ({
      id: row.id,
      run: row.run,
      environment: row.environment,
      task: row.task.includes(reference) ? unpacked[next++]! : toShared(row.task),
      seed: Number(row.seed),
      cast: toShared(row.casting) as EpisodeRecord['cast'],
      status: row.status,
      events: Number(row.events),
      turns: row.turns === null ? turnsOf({ begun: Number(row.begun), end: null }) : Number(row.turns),
      returns: row.returns === null ? null : (toShared(row.returns) as EpisodeRecord['returns']),
      order: Number(row.position),
    }),
  );
}

/** What a reference to a shared value begins with. */
const reference = '"~';

const keptScores = new TextMemo<Score>();

/** A stored score, read once and shared. */
export function keptScore(body: string): Score {
  return keptScores.get(body, (text) => freeze(readBack(text) as unknown as Score));
}

const keptValues = new TextMemo<Json>();

/** Read once and shared by all records that have the same: frozen, so that no reader changes it for the others. */
function toShared(text: string): Json {
  return keptValues.get(text, (written) => freeze(readBack(written)));
}
