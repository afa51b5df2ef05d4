/** @file The studio's memory does not grow with its episodes: the latest stay in memory, and older ones are read from the store. */

import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { putCastRun } from '@ludus-agents/agents/internal/workspace/cast-run';
import { studioJournal, studioRun } from '@ludus-agents/agents/internal/workspace/kept-cast';
import type { EpisodeEvent, Json, Store } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { markOf, OwnMarks } from '@ludus-agents/store/internal/own-mark';
import { afterAll, describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { EpisodeJournal, type LiveEpisode } from './episode-journal.ts';
import { Notifier } from './live-episodes.ts';
import { TerminalTalks } from './terminal-talks.ts';

const episodes = 10_000;
const cwd = mkdtempSync(join(tmpdir(), 'ludus-memory-'));
const place = { cwd, env: { LUDUS_HOME: join(cwd, 'home') } };
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const entryOf = (i: number): LiveEpisode => ({
  episode: `live-${i}`,
  environment: 'kuhn-poker',
  task: {},
  seed: i,
  cast: { first: 'random', second: 'random' },
  pace: 0,
  ...(i % 5 === 1 ? { fork: { episode: `live-${i - 1}`, at: 2 } } : {}),
});

const start = (environment: string, cast: Readonly<Record<string, string>>): EpisodeEvent =>
  ({ kind: 'start', log: 1, environment, task: {}, seed: 1, seats: Object.keys(cast), cast }) as unknown as EpisodeEvent;
const end = { kind: 'end', reason: 'over' } as unknown as EpisodeEvent;

/** Stores what a studio would have after its episodes; an fsync for each of 10,000 marks would only wait for the disk. */
async function fill(store: Store): Promise<EpisodeJournal> {
  const journal = new EpisodeJournal(store, place);
  await journal.write(entryOf(0));
  const entries = Array.from({ length: episodes - 1 }, (_, i) => entryOf(i + 1));
  appendFileSync(join(cwd, '.ludus', 'begun'), entries.map((entry) => `\n${markOf(place, entry)}\n`).join(''));
  for (let at = 0; at < entries.length; at += 1000) {
    await store.note(studioRun, studioJournal, at + 1, entries.slice(at, at + 1000));
    await journal.read();
  }
  return journal;
}

describe('after 10,000 episodes', () => {
  it('the journal keeps 1,000 entries in memory, and finds the others and their branches in the store', async () => {
    const store = memoryStore();
    const journal = await fill(store);
    await store.note(studioRun, studioJournal, episodes, [{ ...entryOf(0), episode: 'imported', fork: { episode: 'live-5', at: 1 } }]);
    for (const id of ['live-3', 'imported']) await store.append(id, 0, [start('kuhn-poker@1', { first: 'random' })], studioRun);
    expect(journal.size).toEqual({ entries: 1000, branches: 1000, marks: 1 });
    expect(await journal.entry('live-9999')).toEqual(entryOf(9999));
    expect(await journal.entry('live-3')).toEqual(entryOf(3));
    expect(await journal.branches('live-9995')).toEqual([{ id: 'live-9996', at: 2 }]);
    expect(await journal.branches('live-5')).toEqual([{ id: 'live-6', at: 2 }]);
    // Neither an entry without a mark of this installation nor an unknown episode counts.
    expect([await journal.entry('imported'), await journal.entry('live-77777')]).toEqual([undefined, undefined]);
    for (let i = 0; i < 1100; i++) await journal.write(entryOf(episodes + i));
    expect(journal.size).toEqual({ entries: 1000, branches: 1000, marks: 1000 });
    // A new server reads the same.
    const later = new EpisodeJournal(store, place);
    expect((await later.read()).length).toBe(episodes + 1100);
    expect([await later.entry('live-3'), await later.entry('imported')]).toEqual([entryOf(3), undefined]);
    expect(later.size).toEqual({ entries: 1000, branches: 1000, marks: 0 });
  });

  it('the list of conversations keeps 600 of those held at a terminal', async () => {
    const store = memoryStore();
    const other = { ...place, cwd: join(cwd, 'talks') };
    const cast = { character: 'innkeeper', user: 'human' };
    const spec = { name: 'innkeeper', kind: 'persona', model: 'fake', persona: gallery['innkeeper'] as Json };
    const run = await putCastRun(
      store,
      { kind: 'chat', title: 'innkeeper', environment: 'chat', task: {}, seed: 1, cast: { ...cast, character: spec } },
      { place: other },
    );
    const talks = new TerminalTalks(store, other);
    const titles = new Set<string>();
    for (let i = 0; i < amount(1_500, episodes); i++) {
      await store.append(`talk-${i}`, 0, [start('chat@1', cast), end], run);
      titles.add((await talks.find(`talk-${i}`))?.title ?? 'not shown');
    }
    expect([talks.size, [...titles]]).toEqual([600, [gallery['innkeeper']!.name]]);
    expect((await talks.list(new Map())).size).toBe(300);
    expect((await talks.find('talk-0'))?.title).toBe(gallery['innkeeper']!.name);
    expect(talks.size).toBe(600);
  });
});

describe('marks of an installation', () => {
  it('are read from the file when they are not among the latest 1,000', () => {
    const own = new OwnMarks({ cwd: join(cwd, 'other'), env: place.env });
    for (let i = 0; i < 1500; i++) own.add(i);
    expect([own.size, own.only([0, 1499, 'never'])]).toEqual([1000, [0, 1499]]);
  });
});

describe('a notifier', () => {
  it('forgets a name when the last one that waited for it gave up', async () => {
    const notifier = new Notifier();
    await Promise.all([notifier.heard('a', 0), notifier.heard('a', 0), notifier.heard('b', 0)]);
    expect(notifier.size).toBe(0);
  });
});
