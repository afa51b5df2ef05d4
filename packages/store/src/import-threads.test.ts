/** @file An import is the same, row for row and word for word, whether threads pack its lines or not. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type EpisodeEvent, type Score, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importJsonl } from './import-jsonl.ts';
import { blocksOf } from './import-threads.ts';
import { exportJsonl } from './jsonl.ts';
import { memoryStore } from './memory.ts';
import { openStore } from './open-store.ts';
import { BlockPacker } from './packed-block.ts';

const here = mkdtempSync(join(tmpdir(), 'ludus-import-'));
afterAll(() => rmSync(here, { recursive: true, force: true }));

let lines: readonly string[] = [];
beforeAll(async () => {
  const store = memoryStore();
  await store.putRun({ id: 'long', plan: { environments: [], seeds: [], casts: [] }, episodes: 160 });
  for (let i = 0; i < 160; i++) {
    await store.append(`long-${i}`, 0, logOf(i), 'long');
    if (i % 3 > 0) await store.putScores(`long-${i}`, [scoreOf(i % 5), scoreOf(i)]);
  }
  lines = await Array.fromAsync(exportJsonl(store));
});

/** Some eight kilobytes: most texts are new, some are shared, and one is in every log. */
function logOf(i: number): readonly EpisodeEvent[] {
  const episodeEvents = Array.from({ length: 40 }, (_, turn): EpisodeEvent => {
    return { kind: 'message', to: ['a'], text: `${i} says ${turn}: ${'né "so" '.repeat(20)}`.slice(0, 180) };
  });
  return [
    { kind: 'start', environment: 'talk@1', task: { about: i % 4 }, seed: i, seats: ['a', 'b'], cast: { a: 'one', b: `other ${i % 2}` } },
    { kind: 'message', to: ['a', 'b'], text: `${'These are the rules. '.repeat(120)}` },
    { kind: 'message', to: ['b'], text: `${`Task ${i % 50} is long. `.repeat(30)}` },
    ...episodeEvents,
    { kind: 'end', reason: 'over', returns: { a: i, b: -i }, penalties: { a: 0, b: 0 }, turns: 0 },
  ];
}

function scoreOf(value: number): Score {
  const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };
  return { name: 'good', value, status: 'ok', evidence: [], cost, provenance: { scorer: 'test' } };
}

let files = 0;

/** The messages of an import, and the stored data after a successful one. */
async function outcome(inputs: readonly string[], threads: number, before: readonly string[] = []): Promise<unknown> {
  const file = join(here, `${files++}.sqlite`);
  const store = await openStore(file);
  try {
    if (before.length > 0) await importJsonl(store, before, 0);
    const counts = await importJsonl(store, inputs, threads);
    await store.close();
    return { counts, rows: rowsIn(file) };
  } catch (thrown) {
    await store.close();
    return sentenceOf(thrown);
  }
}

function rowsIn(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = [
    'select position, id, run, environment, status, seed, events, begun, turns, returns, casting, task from episodes order by position',
    'select * from chunks order by episode, first',
    'select position, episode, hash, body from scores join score_bodies on number = score order by position',
    'select * from parts order by hash',
    'select * from appearances order by agent, episode',
  ].map((query) => database.prepare(query).all());
  database.close();
  return rows;
}

/** The file with one of its lines changed: the last of those that begin so. */
function changed(beginning: string, change: (line: string) => readonly string[]): readonly string[] {
  const at = lines.findLastIndex((line) => line.startsWith(beginning));
  return lines.toSpliced(at, 1, ...change(lines[at]!));
}

const episode = '{"kind":"episode"';

describe('lines packed by threads', () => {
  it('are split into several blocks of whole lines', async () => {
    const blocks = await Array.fromAsync(blocksOf(lines));
    expect(blocks.filter(({ isPlain }) => isPlain).length).toBeGreaterThan(1);
    expect(blocks.flatMap((block) => block.lines)).toEqual(lines);
    for (const { from, lines: subset } of blocks) expect(lines[from - 1]).toBe(subset[0]);
  });

  it('are packed only if all lines of a block have the export format', () => {
    const plain = lines.filter((line) => /^.{9}(?:episode|scores|value)/.test(line));
    const { logs, parts } = new BlockPacker().pack(plain);
    expect([logs?.rows.logs, parts.length]).toEqual([160, 52]);
    expect(new BlockPacker().pack([...plain, '{"kind":"end"}']).logs).toBeNull();
  });

  it('[S26] are stored as by a single thread', async () => {
    const alone = await outcome(lines, 0);
    expect(alone).toMatchObject({ counts: { episodes: 160, events: 160 * 44 } });
    expect(await outcome(lines, 2)).toEqual(alone);
  });

  const half = () => [
    ...lines.slice(
      0,
      lines.findIndex((line) => line.includes('"long-80"')),
    ),
    '{"kind":"end","episodes":0,"events":0}',
  ];
  const files: Readonly<Record<string, () => readonly string[]>> = {
    'an episode that comes twice and differs': () => changed(episode, (line) => [line.replace('says 3', 'says 4'), line]),
    'a value that was changed': () => changed('{"kind":"value"', (line) => [line.replace('is long', 'is short')]),
    'a value that comes too late': () => changed('{"kind":"value"', (line) => [lines.at(-3)!, line]),
    'a line that is no JSON': () => changed(episode, (line) => [line.slice(0, -2)]),
    'an event of no kind': () => changed(episode, (line) => [line.replace('"kind":"message"', '"kind":"massage"')]),
    'scores of an episode that is not there': () => changed('{"kind":"scores"', (line) => [line.replace('"long-', '"wrong-')]),
    'values that are forgotten': () => changed(episode, (line) => ['{"kind":"forget"}', line]),
    // Each of these is read line by line, and nothing is wrong with it.
    'empty lines, spaces between words and an episode that comes twice': () =>
      changed(episode, (line) => [line, line]).flatMap((line, i) => {
        if (i % 90 === 0) return [line, ''];
        return i % 70 === 3 ? [JSON.stringify(JSON.parse(line), null, 1).replaceAll('\n', '')] : [line];
      }),
    'no opening line': () => lines.slice(1),
    'no end': () => lines.slice(0, -1),
    'two exports': () => [...lines, ...lines],
  };
  for (const [what, made] of Object.entries(files))
    it(`[S29] have the same outcome with ${what}`, async () => {
      const inputs = made();
      expect(await outcome(inputs, 1)).toEqual(await outcome(inputs, 0));
    });

  it('[S28] have the same outcome if half or all of them are already stored', async () => {
    const cut = half().with(-1, `{"kind":"end","episodes":80,"events":${80 * 44}}`);
    for (const before of [cut, lines]) {
      const alone = await outcome(lines, 0, before);
      expect(alone).toMatchObject({ counts: { skipped: before === lines ? 160 : 80 } });
      expect(await outcome(lines, 1, before)).toEqual(alone);
    }
  });
});
