/** @file One transaction: many appends and scores, each checked against its log as it then is, written a few statements in all. */

import type { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { Selectable } from 'kysely';
import { advance, type LogLength, refusal, unknownEpisode } from './append-rules.ts';
import { Collision, type TransactionScope } from './database.ts';
import { type Append, appearancesOf, type GrowingLog, newLog, rowOf, type ScoreWrite, type Write } from './log-rows.ts';
import type { NewRows } from './new-rows.ts';
import type { Shared } from './pack.ts';
import type { EpisodesTable } from './schema.ts';
import { storeBodies, withoutEqual } from './score-bodies.ts';

/**
 * Writes a batch and returns, write by write, which were refused. Shared parts are kept even if the only log that needed them was refused.
 */
export async function writeBatch(
  scope: TransactionScope,
  parts: readonly Shared[],
  writes: readonly Write[],
): Promise<readonly (Fault | null)[]> {
  await writeParts(scope, parts);
  return writeRecords(scope, writes, await storedLogs(scope, idsToGrow(writes)));
}

export async function writeParts(scope: TransactionScope, parts: readonly Shared[]): Promise<void> {
  // Sorted, so two processes that write the same parts cannot deadlock.
  const sorted = parts.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  for (const rows of slices(sorted)) await scope.parts(rows);
}

/** Writes new logs; returns false if they cannot be written at once, in which case nothing may be committed. */
export async function writeNewLogs(scope: TransactionScope, blocks: readonly NewRows[]): Promise<boolean> {
  if (scope.newLogs === undefined) return false;
  const { numbers, equal } = await storeBodies(
    scope,
    blocks.flatMap(({ differentScores }) => differentScores),
  );
  // A log may have the same score in two texts, which a write of single scores sees.
  if (equal.size > 0) return false;
  for (const rows of blocks) {
    const bodies = rows.differentScores.map(({ text }) => numbers.get(text)!);
    if (!scope.newLogs(rows, bodies)) return false;
  }
  return true;
}

/** Which logs get events. */
function idsToGrow(writes: readonly Write[]): ReadonlySet<string> {
  const grown = new Set<string>();
  for (const { kind, episode } of writes) if (kind === 'append') grown.add(episode);
  return grown;
}

async function writeRecords(
  scope: TransactionScope,
  writes: readonly Write[],
  logs: Map<string, GrowingLog>,
): Promise<readonly (Fault | null)[]> {
  const grown = idsToGrow(writes);
  const rest = new Set<string>();
  for (const { episode } of writes) if (!grown.has(episode)) rest.add(episode);
  const places = await storedPlaces(scope, rest);
  const scored: ScoreWrite[] = [];
  // Data sent after a rejected append depends on missing data, even if another writer's log has the same length.
  const refusedWriters = new Map<number | undefined, Fault>();
  const refusals = writes.map((write): Fault | null => {
    const log = logs.get(write.episode) ?? null;
    if (write.kind === 'append') {
      const refused = refusedWriters.get(write.writer) ?? take(logs, log, write);
      if (refused !== null && write.writer !== undefined) refusedWriters.set(write.writer, refused);
      return refused;
    }
    if (log === null && !places.has(write.episode)) return unknownEpisode(write.episode);
    scored.push(write);
    return null;
  });
  await writeLogs(
    scope,
    [...logs.values()].filter(({ bodies }) => bodies.length > 0),
  );
  const { numbers, equal } = await storeBodies(
    scope,
    scored.flatMap((write) => write.scores),
  );
  const scores: { episode: number; score: number }[] = [];
  for (const { episode, scores: inputs } of scored) {
    const position = places.get(episode) ?? (logs.get(episode)?.position as number);
    for (const { text } of inputs) scores.push({ episode: position, score: numbers.get(text)! });
  }
  for (const rows of slices(await withoutEqual(scope, scores, equal))) await scope.scores(rows);
  return refusals;
}

/** Adds an append to its log, or returns why not. */
function take(logs: Map<string, GrowingLog>, log: GrowingLog | null, write: Append): Fault | null {
  const { episode, portion, body } = write;
  const refused = refusal(episode, log?.progress ?? null, portion);
  if (refused !== null) return refused;
  if (log === null) {
    if (write.opening === null) return unknownEpisode(episode);
    logs.set(episode, newLog(write));
    return null;
  }
  log.bodies.push(body);
  advance(log.progress, portion);
  return null;
}

/** Where logs are that get scores and no events. */
async function storedPlaces({ db, kind }: TransactionScope, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const places = new Map<string, number>();
  for (const subset of slices([...ids])) {
    const rows = await db
      .selectFrom('episodes')
      .select(['id', 'position'])
      .where('id', 'in', subset)
      .$if(kind === 'postgres', (query) => query.orderBy('id').forUpdate())
      .execute();
    for (const { id, position } of rows) places.set(id, Number(position));
  }
  return places;
}

/** The logs as they are, and, where others write at the same time, locked until this transaction ends. */
async function storedLogs({ db, kind }: TransactionScope, ids: ReadonlySet<string>): Promise<Map<string, GrowingLog>> {
  const logs = new Map<string, GrowingLog>();
  for (const subset of slices([...ids])) {
    const rows = await db
      .selectFrom('episodes')
      .selectAll()
      .where('id', 'in', subset)
      .$if(kind === 'postgres', (query) => query.orderBy('id').forUpdate())
      .execute();
    for (const row of rows) logs.set(row.id, logOf(row));
  }
  return logs;
}

function logOf(row: Selectable<EpisodesTable>): GrowingLog {
  const { id, run, environment, casting, task, status, versions } = row;
  const events = Number(row.events);
  const progress: LogLength = {
    events,
    begun: Number(row.begun),
    status,
    end: row.turns === null ? null : { turns: Number(row.turns), returns: JSON.parse(row.returns as string) },
  };
  const opening = { run, environment, seed: Number(row.seed), casting, task, versions };
  return { id, position: Number(row.position), opening, progress, stored: events, bodies: [] };
}

async function writeLogs(scope: TransactionScope, logs: readonly GrowingLog[]): Promise<void> {
  for (const growingLogs of slices(logs)) {
    await openLogs(
      scope,
      growingLogs.filter(({ position }) => position === null),
    );
    await growLogs(
      scope,
      growingLogs.filter(({ stored }) => stored > 0),
    );
    const chunks = growingLogs.map(({ position, progress, stored, bodies }) => {
      return { episode: position as number, first: stored, count: progress.events - stored, body: bodies.join(',') };
    });
    await scope.chunks(chunks);
    for (const rows of slices(growingLogs.flatMap(appearancesOf))) await scope.appearances(rows);
  }
}

/** Rows of new logs. If another process has just created one of them, everything is checked again. */
async function openLogs(scope: TransactionScope, logs: readonly GrowingLog[]): Promise<void> {
  if (logs.length === 0) return;
  const rows = await scope.episodes(logs.map(rowOf));
  if (rows.length < logs.length) throw new Collision('Another process opened the same log.');
  const positions = new Map(rows.map(({ id, position }) => [id, position]));
  for (const log of logs) log.position = positions.get(log.id) as number;
}

/** Summaries of logs that have grown, in one statement. */
async function growLogs({ db }: TransactionScope, logs: readonly GrowingLog[]): Promise<void> {
  if (logs.length === 0) return;
  await db
    .insertInto('episodes')
    .values(logs.map(rowOf))
    .onConflict((on) =>
      on.column('id').doUpdateSet((row) => ({
        status: row.ref('excluded.status'),
        events: row.ref('excluded.events'),
        begun: row.ref('excluded.begun'),
        turns: row.ref('excluded.turns'),
        returns: row.ref('excluded.returns'),
      })),
    )
    .execute();
}

/** Rows at a time: whole statements of SQLite's, which binds at most 32,766 values in one. */
const page = 512;

function slices<T>(items: readonly T[]): (readonly T[])[] {
  const matches: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += page) matches.push(items.slice(at, at + page));
  return matches;
}
