/** @file Writes many rows into a SQLite file, through statements that stay prepared. */

import type { DatabaseSync, SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite';
import type { Selectable } from 'kysely';
import type { OpenedEpisode, TransactionScope } from './database.ts';
import { type NewRows, newEpisodeColumns } from './new-rows.ts';
import type { ScoreBodiesTable } from './schema.ts';

/** How rows of a table are written. */
interface Inserts {
  readonly table: string;
  readonly columns: readonly string[];
  /** The placeholders of a row, by its number in the statement, and their count; by default a "?" per column. */
  readonly row?: (index: number) => string;
  readonly width?: number;
  readonly rest?: string;
}

/** Values of rows, one after the other. */
type Values = readonly SQLInputValue[];

interface Handed {
  /** Values bound as "?1" and so on, once for all rows of a statement; the argument is the index of its first row. */
  readonly shared?: (row: number) => Values;
  readonly after?: (outcome: StatementResultingChanges, row: number, size: number) => void;
}

/** The numbers of rows per statement, largest first. */
const sizes = [64, 8, 1];

/**
 * Inserts values as rows, many per statement: each statement finds the end of a table once, and building a statement for every number of
 * rows would take longer than running it. A failed statement leaves the previous rows in the transaction, which is then rolled back as a
 * whole: for a statement that undoes its own rows, SQLite would first copy every changed page into a file.
 */
function into(database: DatabaseSync, { table, columns, row = () => marks(columns), width = columns.length, rest = '' }: Inserts) {
  const beginning = `insert or fail into ${table} (${columns.join(', ')}) values`;
  const statements = new Map<number, StatementSync>();
  const statementFor = (size: number): StatementSync => {
    const statementSync = statements.get(size);
    if (statementSync !== undefined) return statementSync;
    const newStatementSync = database.prepare(`${beginning} ${Array.from({ length: size }, (_, i) => `(${row(i)})`).join(', ')} ${rest}`);
    statements.set(size, newStatementSync);
    return newStatementSync;
  };
  return (values: Values, { shared = () => [], after }: Handed = {}): void => {
    const rows = values.length / width;
    for (let at = 0; at < rows; ) {
      const size = sizes.find((size) => at + size <= rows) as number;
      const subset = values.slice(at * width, (at + size) * width);
      const outcome = statementFor(size).run(...shared(at), ...subset);
      after?.(outcome, at, size);
      at += size;
    }
  };
}

export function rowInserts(database: DatabaseSync, explain: (thrown: unknown) => unknown): Omit<TransactionScope, 'kind' | 'db'> {
  const explained = <T>(work: () => T): T => {
    try {
      return work();
    } catch (thrown) {
      throw explain(thrown);
    }
  };
  /** The same of rows that are objects. */
  const records = (how: Inserts) => {
    const write = into(database, how);
    return (rows: readonly object[], handed?: Handed) => {
      const values: SQLInputValue[] = [];
      for (const row of rows) for (const column of how.columns) values.push((row as Record<string, SQLInputValue>)[column]!);
      explained(() => write(values, handed));
    };
  };
  const onceOnly = 'on conflict (id) do nothing';
  const episodes = records({ table: 'episodes', columns: [...newEpisodeColumns, 'added'], rest: onceOnly });
  const appearances = records({
    ...{ table: 'appearances', columns: ['agent', 'episode', 'status', 'environment', 'run'] },
    rest: 'on conflict (agent, episode) do update set status = excluded.status',
  });
  const chunks = records({ table: 'chunks', columns: ['episode', 'first', 'count', 'body'] });
  const parts = records({ table: 'parts', columns: ['hash', 'parent', 'part'], rest: 'on conflict (hash) do nothing' });
  const unlessThere = 'on conflict (episode, score) do nothing';
  const scores = records({ table: 'scores', columns: ['episode', 'score'], rest: unlessThere });
  const scoreBodies = records({
    table: 'score_bodies',
    columns: ['hash', 'variant', 'body'],
    rest: 'on conflict (hash, variant) do nothing',
  });

  // One by one: a statement for every number of hashes would take longer to prepare than to run.
  let finding: StatementSync | undefined;
  const bodiesOf = (hash: string) => {
    finding ??= database.prepare('select number, hash, variant, body from score_bodies where hash = ? order by variant');
    return finding.all(hash) as unknown as readonly Selectable<ScoreBodiesTable>[];
  };

  // Positions of new logs are consecutive, so the first determines the others.
  const newEpisodes = into(database, {
    ...{ table: 'episodes', columns: ['added', ...newEpisodeColumns], rest: onceOnly },
    ...{ row: () => `?1, ${marks(newEpisodeColumns)}`, width: newEpisodeColumns.length },
  });
  const newChunks = into(database, {
    ...{ table: 'chunks', columns: ['episode', 'first', 'count', 'body'] },
    ...{ row: (i) => `?1 + ${i}, 0, ?, ?`, width: 2 },
  });
  const newAppearances = into(database, {
    ...{ table: 'appearances', columns: ['agent', 'status', 'environment', 'run', 'episode'] },
    ...{ row: () => '?1, ?2, ?3, ?4, ?5 + ?', width: 1 },
  });
  const newScores = into(database, {
    ...{ table: 'scores', columns: ['episode', 'score'] },
    ...{ row: () => '?1 + ?, ?', rest: unlessThere },
  });
  const newLogs = (rows: NewRows, bodies: readonly number[]): boolean => {
    const now = Date.now();
    let [last, written] = [0, 0];
    newEpisodes(rows.episodes, {
      shared: () => [now],
      after: ({ changes, lastInsertRowid }) => {
        written += Number(changes);
        last = Number(lastInsertRowid);
      },
    });
    if (written < rows.logs) return false;
    const place = last - rows.logs + 1;
    newChunks(rows.chunks, { shared: (row) => [place + row] });
    for (const { values, logs } of rows.appearances) newAppearances(logs, { shared: () => [...values, place] });
    newScores(scoreValues(rows, bodies), { shared: () => [place] });
    return true;
  };
  return {
    async episodes(rows) {
      const opened: OpenedEpisode[] = [];
      // The last place comes with the outcome, and those of one statement follow each other: "returning" would take three times as long as the
      // insert itself.
      episodes(rows, {
        after: ({ changes, lastInsertRowid }, from, size) => {
          if (Number(changes) < size) return;
          const first = Number(lastInsertRowid) - size + 1;
          for (let i = 0; i < size; i++) opened.push({ id: rows[from + i]!.id, position: first + i });
        },
      });
      return opened;
    },
    appearances: async (rows) => appearances(rows),
    chunks: async (rows) => chunks(rows),
    parts: async (rows) => parts(rows),
    scores: async (rows) => scores(rows),
    scoreBodiesOf: async (hashes) => explained(() => hashes.flatMap(bodiesOf)),
    async scoreBodies(rows) {
      const numbers: (number | null)[] = [];
      scoreBodies(rows, {
        after: ({ changes, lastInsertRowid }, _, size) => {
          const first = Number(lastInsertRowid) - size + 1;
          for (let i = 0; i < size; i++) numbers.push(Number(changes) < size ? null : first + i);
        },
      });
      return numbers;
    },
    newLogs: (rows, bodies) => explained(() => newLogs(rows, bodies)),
  };
}

function marks(columns: readonly string[]): string {
  return columns.map(() => '?').join(', ');
}

function scoreValues({ scores }: NewRows, bodies: readonly number[]): Values {
  const values: SQLInputValue[] = [];
  for (let i = 0; i < scores.length; i += 2) values.push(scores[i]!, bodies[scores[i + 1]!]!);
  return values;
}
