/** @file What scores say is stored once, also in files of before; equal scores keep their text, and damage is found. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { readEpisodes, type Score, type Store } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, describe, expect, it } from 'vitest';
import { exportJsonl } from './jsonl.ts';
import { log } from './logs.cases.ts';
import { checkStoreAt, pruneRun, sqliteStore } from './open-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-scores-'));
afterAll(() => rmSync(directory, { recursive: true }));

const score = (name: string, value: number) => ({ name, value, status: 'ok', evidence: [], cost: null }) as unknown as Score;
/** The same with its keys in another order. */
const reversed = (score: Score) => Object.fromEntries(Object.entries(score).reverse()) as unknown as Score;
const ids = Array.from({ length: 250 }, (_, i) => `e${i}`);

async function fill(file: string, run: (i: number) => string = () => 'r'): Promise<void> {
  const store = await sqliteStore(file);
  await Promise.all(ids.map((id, i) => store.append(id, 0, log(1), run(i))));
  // The same few, in other orders, and one of its own for each.
  await Promise.all(ids.map((id, i) => store.putScores(id, [score('own', i), score('b', i % 3), score('a', i % 2)])));
  await store.close();
}

function query(file: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file);
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
}

const bodies = 'select count(*) as n from score_bodies';

describe('stored scores', () => {
  it('[S11] [S37] of many episodes equal those of each, in order, and are stored once', async () => {
    const file = join(directory, 'many.sqlite');
    await fill(file);
    expect(query(file, bodies)).toEqual([{ n: 255 }]);
    const store = await sqliteStore(file);
    for (const _ of ['first', 'again']) {
      const episodes = await readEpisodes(store, [...ids, 'nobody'], { scores: true });
      for (const id of ids) expect(episodes.get(id)?.scores).toEqual(await store.scores(id));
      expect(episodes.get('nobody')?.scores).toEqual([]);
    }
    await store.close();
  });

  it('[S11] [S37] that are equal keep the text of their episode, without duplicates', async () => {
    const store = await sqliteStore(join(directory, 'texts.sqlite'));
    const [otherScore, other] = [score('a', 1), reversed(score('a', 1))];
    await Promise.all(['x', 'y'].map((id) => store.append(id, 0, log(1))));
    await Promise.all([store.putScores('x', [otherScore, other]), store.putScores('y', [other])]);
    await store.putScores('x', [other]);
    await store.putScores('y', [otherScore, score('b', 1)]);
    const texts = async (id: string) => (await store.scores(id)).map((score) => JSON.stringify(score));
    expect(await texts('x')).toEqual([JSON.stringify(otherScore)]);
    expect(await texts('y')).toEqual([JSON.stringify(other), JSON.stringify(score('b', 1))]);
    await store.close();
  });

  it('[S37] are deleted with the last episode that has them', async () => {
    const file = join(directory, 'pruned.sqlite');
    await fill(file, (i) => (i < 2 ? 'kept' : 'gone'));
    await pruneRun(file, 'gone');
    expect((await checkStoreAt(file, null)).free).toBeGreaterThan(0);
    expect(query(file, bodies)).toEqual([{ n: 6 }]);
    const store = await sqliteStore(file);
    expect(await store.scores('e1')).toEqual([score('own', 1), score('b', 1), score('a', 1)]);
    await store.putScores('e1', [score('a', 0), score('b', 2)]);
    expect(await store.scores('e1')).toEqual([score('own', 1), score('b', 1), score('a', 1), score('a', 0), score('b', 2)]);
    await store.close();
  });

  it('[S22] are reported if missing or different from their address', async () => {
    const file = join(directory, 'changed.sqlite');
    await fill(file);
    query(file, `update score_bodies set body = replace(body, '"own"', '"x"') where body like '%"own","value":7,%'`);
    query(file, `delete from score_bodies where body like '%"own","value":8,%'`);
    const quarantined: unknown[] = [];
    const { problems } = await checkStoreAt(file, async (rows) => void quarantined.push(...rows));
    expect(problems.map(({ problem }) => problem)).toEqual([
      'its hash does not match the one it is stored under',
      'their contents are not in the store',
    ]);
    expect(quarantined).toMatchObject([{ table: 'score_bodies' }, { table: 'scores' }, { table: 'scores' }]);
    expect((await checkStoreAt(file, null)).problems).toEqual([]);
  });
});

describe('a file of the previous schema, with one body per score', () => {
  const file = join(directory, 'schema-4.sqlite');
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, '../../../test/fixtures/schema-4.sqlite.gz'))));
  const before = query(
    file,
    `select '{"kind":"scores","episode":"' || id || '","scores":[' || group_concat(body, ',' order by scores.position) || ']}' as line
     from scores join episodes on episodes.position = episode group by episode order by episode`,
  );
  const counted = query(file, 'select count(*) as n, count(distinct body) as different from scores');

  const scoreLines = async (store: Store) =>
    (await Array.fromAsync(exportJsonl(store))).filter((line) => line.startsWith('{"kind":"scores"'));

  it('[S25] is unchanged if its migration is killed, and has the same contents after it', async () => {
    const schema = JSON.stringify(new URL('./schema.ts', import.meta.url).href);
    const code = `import { DatabaseSync } from 'node:sqlite';
      import { migrations } from ${schema};
      const database = new DatabaseSync(process.argv[1]);
      // So small that pages of the transaction are in the file before its end.
      database.exec('pragma cache_size = 2; begin immediate');
      database.exec(migrations[4]);
      process.kill(process.pid, 'SIGKILL');`;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code, file]);
    expect(signal).toBe('SIGKILL');
    expect(query(file, 'pragma user_version')).toEqual([{ user_version: 4 }]);
    const store = await sqliteStore(file);
    expect(await scoreLines(store)).toEqual(before.map(({ line }) => line));
    // A score that is there in either order of its keys is not added again.
    const [scored] = ((await store.scoredEpisodes?.()) ?? []).filter(({ scores }) => scores.some(({ name }) => name === 'note'));
    await store.putScores(scored!.record.id, [...scored!.scores, ...scored!.scores.map(reversed)]);
    expect(await scoreLines(store)).toEqual(before.map(({ line }) => line));
    await store.close();
    expect(query(file, 'select count(*) as n, count(distinct score) as different from scores')).toEqual(counted);
    expect((await checkStoreAt(file, null)).problems).toEqual([]);
  });
});
