/** @file A SQL store's metadata about its runs and episodes: the times at which they were stored; and the deletion of whole runs. */

import type { Json, RunTimes, StoreCatalog } from '@ludus-agents/kernel/internal/core/index';
import { readBack } from './append-rules.ts';
import { countRuns } from './count-episodes.ts';
import type { Database } from './database.ts';
import { removeRuns } from './forget.ts';

/** Ids in one query: SQLite takes some thirty thousand values at most. */
const batch = 5000;

export function createCatalog(database: Database, settled: () => Promise<unknown>): StoreCatalog {
  const { db } = database;
  return {
    async runTimes() {
      await settled();
      const runs = await db.selectFrom('runs').select(['id', 'added']).execute();
      // Positions come from an index; `added` is then read of two rows for each run, however many episodes it has.
      const spans = await db
        .selectFrom('episodes')
        .select((row) => ['run', row.fn.min('position').as('first'), row.fn.max('position').as('last')] as const)
        .where('run', 'is not', null)
        .groupBy('run')
        .execute();
      const times = new Map<number, number>();
      const positions = spans.flatMap(({ first, last }) => [Number(first), Number(last)]);
      for (let at = 0; at < positions.length; at += batch)
        for (const { position, added } of await db
          .selectFrom('episodes')
          .select(['position', 'added'])
          .where('position', 'in', positions.slice(at, at + batch))
          .execute())
          times.set(Number(position), Number(added));
      const episodes = new Map(spans.map(({ run, first, last }) => [run, [times.get(Number(first)), times.get(Number(last))]]));
      return new Map(
        runs.map(({ id, added }): [string, RunTimes] => {
          const [first = null, last = null] = episodes.get(id) ?? [];
          return [id, { created: Number(added) > 0 ? Number(added) : first, first, last }];
        }),
      );
    },
    async runTallies() {
      await settled();
      return countRuns(db);
    },
    async runNotes(journal, ids) {
      await settled();
      const notes = new Map<string, Json[]>();
      for (let at = 0; at < ids.length; at += batch)
        for (const { run, body } of await db
          .selectFrom('notes')
          .select(['run', 'body'])
          .where('run', 'in', ids.slice(at, at + batch))
          .where('journal', '=', journal)
          .orderBy('run')
          .orderBy('position')
          .execute()) {
          const entries = notes.get(run) ?? [];
          entries.push(readBack(body));
          notes.set(run, entries);
        }
      return notes;
    },
    async episodeTimes(ids) {
      await settled();
      const times = new Map<string, number>();
      for (let at = 0; at < ids.length; at += batch)
        for (const { id, added } of await db
          .selectFrom('episodes')
          .select(['id', 'added'])
          .where('id', 'in', ids.slice(at, at + batch))
          .execute())
          times.set(id, Number(added));
      return times;
    },
    async deleteRuns(runs) {
      await settled();
      return removeRuns(database, runs);
    },
  };
}
