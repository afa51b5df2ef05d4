/** @file Counted in stretches of any length, the counts are the same. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { countEpisodes } from './count-episodes.ts';
import { log } from './logs.cases.ts';
import { SqlStore } from './sql.ts';
import { openSqlite } from './sqlite.ts';

it('countEpisodes gives the same counts for any batch size', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-tally-'));
  const database = openSqlite(join(folder, 'tally.sqlite'));
  const store = new SqlStore(database, {});
  const dice = rng(5, 'tally');
  for (let i = 0; i < 60; i++) {
    const cast = { a: dice.pick(['ann', 'eve']), b: dice.pick(['bob', 'dan']) };
    await store.append(`e${i}`, 0, log(1, { cast }, dice.pick(['over', 'error', 'running'] as const)), dice.pick(['r', 's']));
  }
  const queries = [{}, { run: 'r' }, { agent: 'ann' }, { run: 's', agent: 'bob', status: 'over' as const }, { run: 'none' }];
  const sorted = async (query: object, stretch?: number) =>
    (await countEpisodes(database.db, query, stretch)).map((episode) => JSON.stringify(episode)).sort();
  for (const query of queries) {
    const whole = await sorted(query);
    for (const stretch of [1, 7, 20, 60, 61]) expect([query, stretch, await sorted(query, stretch)]).toEqual([query, stretch, whole]);
  }
  expect((await countEpisodes(database.db, {}, 7)).reduce((sum, { count }) => sum + count, 0)).toBe(60);
  await store.close();
  rmSync(folder, { recursive: true });
});
