/** @file A dataset is the same to the byte whether one thread makes it or several, and a failure of any of them leaves no file. */

import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import type { DatasetRequest } from '@ludus-agents/learning/internal/datasets/request';
import { writeDataset } from '@ludus-agents/learning/internal/datasets/write';
import { copyStore, openStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sale, sampleStore } from '../store/exports/samples.cases.ts';

const here = mkdtempSync(join(tmpdir(), 'ludus-pieces-'));
const file = join(here, 'many.sqlite');
afterAll(() => rmSync(here, { recursive: true, force: true }));

/** Two sales of each seed, one better paid than the other, besides games of several environments. */
beforeAll(async () => {
  const store = await openStore(file);
  await copyStore(await sampleStore(2), store);
  await Promise.all(Array.from({ length: 1200 }, (_, i) => store.append(`sale-of-${i}`, 0, soldFor(i), 'sold')));
  await store.close();
});

function soldFor(i: number): readonly EpisodeEvent[] {
  const seed = Math.floor(i / 2);
  const paid = { seller: i % 7, buyer: -(i % 7) };
  return sale.map((event): EpisodeEvent => {
    if (event.kind === 'start') return { ...event, seed, task: { item: `clock ${seed % 11}` } };
    if (event.kind === 'action' && event.seat === 'buyer') return { ...event, action: { text: `How much is it, the ${i}th time? ☃` } };
    return event.kind === 'end' ? { ...event, returns: paid } : event;
  });
}

async function made(format: string, threads: number, from = file): Promise<Readonly<Record<string, string>>> {
  const out = folderOf(format, threads);
  const store = await openStore(from);
  const preference = { score: 'return', margin: 0, pairs: 'all' } as const;
  const order: DatasetRequest = {
    ...{ store, format, filter: {}, split: { evalShare: 0.3, seed: 1 }, preference, at: new Date(0), version: 'test' },
  };
  try {
    await writeDataset(order, out, threads);
  } finally {
    await store.close();
  }
  return Object.fromEntries(filesIn(out).map((path) => [relative(out, path), readFileSync(path, 'latin1')]));
}

function folderOf(format: string, threads: number): string {
  return join(here, `${threads}`, format);
}

function filesIn(folder: string): readonly string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('a dataset written in pieces', () => {
  for (const format of ['trl-dpo', 'parquet', 'search'])
    it(`is byte-identical to ${format} written by one thread`, async () => {
      const alone = await made(format, 1);
      const names = Object.keys(alone);
      expect(names.filter((name) => name.startsWith('data/')).length).toBeGreaterThan(1);
      const several = await made(format, format === 'trl-dpo' ? 3 : 2);
      for (const name of names) expect(several[name] === alone[name], name).toBe(true);
      expect(Object.keys(several)).toEqual(names);
    });

  it.each([1, 2])('skips and names an unreadable log, with %i threads', async (threads) => {
    const damaged = join(here, 'damaged.sqlite');
    copyFileSync(file, damaged);
    const database = new DatabaseSync(damaged);
    database.exec('update chunks set body = substr(body, 2) where episode = (select max(position) from episodes)');
    database.close();
    const whole = await made('trl-kto', threads);
    const around = await made('trl-kto', threads, damaged);
    const card = JSON.parse(around['card.json']!) as { readonly episodes: number; readonly left: Readonly<Record<string, number>> };
    expect(card.episodes).toBe((JSON.parse(whole['card.json']!) as { episodes: number }).episodes - 1);
    expect(Object.keys(card.left).filter((why) => why.startsWith('damaged episode '))).toHaveLength(1);
  });
});
