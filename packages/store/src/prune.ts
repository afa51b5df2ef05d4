/**
 * @file Removes a run from a database: its episodes with their events and scores, its journals, its jobs. Shared parts (see pack.ts) stay,
 * because a writer may be about to use them; a copy of the store contains only the needed ones.
 */

import type { Database } from './database.ts';
import { removeUnusedBodies } from './score-bodies.ts';

/** Episodes that one transaction removes: others do not wait for long, and an interrupted removal continues. */
const slice = 2000;

export async function pruneRun(database: Database, run: string): Promise<number> {
  for (let pruned = 0; ; ) {
    const count = await database.transact(async ({ db, kind }) => {
      const rows = await db.selectFrom('episodes').select('position').where('run', '=', run).orderBy('position').limit(slice).execute();
      const positions = rows.map(({ position }) => Number(position));
      if (positions.length === 0) return 0;
      // In the order of writers: a concurrent append to these episodes is waited for, and deleted, too.
      if (kind === 'postgres')
        await db.selectFrom('episodes').select('id').where('position', 'in', positions).orderBy('id').forUpdate().execute();
      for (const table of ['scores', 'chunks', 'appearances'] as const)
        await db.deleteFrom(table).where('episode', 'in', positions).execute();
      await db.deleteFrom('episodes').where('position', 'in', positions).execute();
      return positions.length;
    });
    pruned += count;
    if (count === slice) continue;
    await database.transact(async ({ db }) => {
      for (const table of ['notes', 'jobs', 'lots', 'purses', 'spendings'] as const)
        await db.deleteFrom(table).where('run', '=', run).execute();
      await db.deleteFrom('runs').where('id', '=', run).execute();
    });
    await database.transact(({ db, kind }) => removeUnusedBodies(db, kind));
    return pruned;
  }
}
