/** @file Scores that are read by their address are what is stored, and damage stays where it is. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { readEpisodes, type Score } from '../core/index.ts';
import { sqliteStore } from './index.ts';
import { log } from './logs.cases.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-scores-'));
afterAll(() => rmSync(directory, { recursive: true }));

const score = (name: string, value: number) => ({ name, value, status: 'ok', evidence: [], cost: null }) as unknown as Score;
const ids = Array.from({ length: 250 }, (_, i) => `e${i}`);

async function fill(file: string): Promise<void> {
  const store = await sqliteStore(file);
  await Promise.all(ids.map((id) => store.append(id, 0, log(1))));
  // The same few, in other orders, and one of its own for each.
  await Promise.all(ids.map((id, i) => store.putScores(id, [score('own', i), score('b', i % 3), score('a', i % 2)])));
  await store.close();
}

describe('stored scores', () => {
  it('[S11] of many episodes are those of each, in their order', async () => {
    const file = join(directory, 'many.sqlite');
    await fill(file);
    const store = await sqliteStore(file);
    for (const _ of ['first', 'again']) {
      const found = await readEpisodes(store, [...ids, 'nobody'], { scores: true });
      for (const id of ids) expect(found.get(id)?.scores).toEqual(await store.scores(id));
      expect(found.get('nobody')?.scores).toEqual([]);
    }
    await store.close();
  });

  it('[S22] that are not what their address says stand for themselves alone', async () => {
    const file = join(directory, 'changed.sqlite');
    await fill(file);
    const database = new DatabaseSync(file);
    database.exec(`update scores set body = replace(body, '"a"', '"x"') where episode in (1, 2)`);
    database.close();
    const store = await sqliteStore(file);
    const found = await readEpisodes(store, ids, { scores: true });
    expect(found.get('e0')?.scores.map(({ name }) => name)).toEqual(['own', 'b', 'x']);
    for (const id of ids.slice(2)) expect(found.get(id)?.scores.map(({ name }) => name)).toEqual(['own', 'b', 'a']);
    await store.close();
  });
});
