/** @file Reads many episodes in a few queries: a query for each of a hundred thousand costs more than all that it finds. */

import { setImmediate as breath } from 'node:timers/promises';
import {
  type EpisodeEvent,
  type EpisodeParts,
  type EpisodeRecord,
  type EpisodeVersions,
  freeze,
  type Json,
  type StoredEpisode,
} from '@ludus-agents/kernel/internal/core/index';
import type { Kysely, Selectable } from 'kysely';
import { readBack, turnsOf } from './append-rules.ts';
import type { EpisodesTable, Tables } from './schema.ts';
import type { Pieces } from './shared-parts.ts';
import type { StoredScores } from './stored-scores.ts';
import { TextMemo } from './text-memo.ts';

interface Source {
  readonly db: Kysely<Tables>;
  readonly pieces: Pieces;
  readonly scores: StoredScores;
}

/** Episodes per query: few enough that a query does not noticeably block this process. */
const page = { logs: 100, others: 500 } as const;

export async function readStored(
  source: Source,
  episodes: readonly string[],
  parts: EpisodeParts,
): Promise<ReadonlyMap<string, StoredEpisode>> {
  const matches = new Map<string, StoredEpisode>();
  const size = parts.events === true ? page.logs : page.others;
  for (let at = 0; at < episodes.length; at += size) {
    const ids = episodes.slice(at, at + size);
    // SQLite is synchronous: without a pause, nothing else in this process would run until everything is read.
    await breath();
    const records = parts.record === true ? await recordsById(source, ids) : null;
    const positions = records === null ? await positionsOf(source.db, ids) : new Map([...records].map(([id, { order }]) => [id, order]));
    const places = [...positions.values()];
    const logs = parts.events === true ? await logsAt(source, places) : null;
    const scores = parts.scores === true ? await source.scores.at(places) : null;
    for (const id of ids) {
      const position = positions.get(id) ?? 0;
      matches.set(id, {
        record: records?.get(id) ?? null,
        events: logs?.get(position) ?? [],
        scores: scores?.get(position)?.map(({ score }) => score) ?? [],
      });
    }
  }
  return matches;
}

async function recordsById({ db, pieces }: Source, ids: readonly string[]): Promise<ReadonlyMap<string, EpisodeRecord>> {
  const rows = await db.selectFrom('episodes').selectAll().where('id', 'in', ids).execute();
  return new Map((await recordsOf(rows, pieces)).map((record) => [record.id, record]));
}

/** Where episodes are; those that are not there are left out. */
export async function positionsOf(db: Kysely<Tables>, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom('episodes').select(['id', 'position']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, position }) => [id, Number(position)]));
}

/** Pieces of logs as they are stored, in order, with the number of events in each; by the positions of episodes. */
export function storedChunks(db: Kysely<Tables>, positions: readonly number[]) {
  return db
    .selectFrom('chunks')
    .select(['episode', 'count', 'body'])
    .where('episode', 'in', positions)
    .orderBy('episode')
    .orderBy('first')
    .execute();
}

async function logsAt({ db, pieces }: Source, positions: readonly number[]): Promise<ReadonlyMap<number, readonly EpisodeEvent[]>> {
  const rows = await storedChunks(db, positions);
  const logs = new Map<number, string>();
  for (const { episode, body } of rows) {
    const before = logs.get(Number(episode));
    logs.set(Number(episode), before === undefined ? body : `${before},${body}`);
  }
  const packed = [...logs.values()].map((bodies) => readBack(`[${bodies}]`));
  const events = (await pieces.unpack(packed)) as readonly (readonly EpisodeEvent[])[];
  return new Map([...logs.keys()].map((position, i) => [position, events[i]!]));
}

/** Episode records for lists, from rows of the table. */
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
      ...(row.versions === null ? {} : { versions: toShared(row.versions) as EpisodeVersions }),
      order: Number(row.position),
    }),
  );
}

/** The prefix of a reference to a shared value. */
const reference = '"~';

const keptValues = new TextMemo<Json>();

/** Read once and shared by all records with the same value. Frozen, so readers cannot change it for others. */
function toShared(text: string): Json {
  return keptValues.get(text, (written) => freeze(readBack(written)));
}
