/** @file Counts of all runs: unchanged runs are not counted again, and changed ones are. */

import type { EpisodeEvent, Store } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { afterEach, expect, it, vi } from 'vitest';
import { talliesOfRuns } from './episode-counts.ts';

const ids = Array.from({ length: 60 }, (_, i) => `run-${i}`);

async function play(store: Store, run: string, episode: string): Promise<void> {
  const events: readonly EpisodeEvent[] = [
    { kind: 'start', environment: 'kuhn-poker@1', task: {}, seed: 1, seats: ['first'], cast: { first: 'random' } },
    { kind: 'end', reason: 'over', returns: { first: 1 }, penalties: {}, turns: 0 },
  ];
  await store.append(episode, 0, events, run);
}

afterEach(() => {
  vi.useRealTimers();
});

it('recounts changed runs on every request, and all others in turn', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const store = memoryStore();
  for (const id of ids) {
    await store.putRun({ id, plan: { environments: [], seeds: [], casts: [] }, episodes: 1 });
    await play(store, id, `${id}-a`);
  }
  vi.advanceTimersByTime(60_000);
  const asked = new Set<string>();
  const episodes = store.episodes.bind(store);
  store.episodes = (query) => {
    if (query?.run !== undefined) asked.add(query.run);
    return episodes(query);
  };
  const countOf = async (run: string) => (await talliesOfRuns(store, ids)).get(run)?.reduce((sum, { count }) => sum + count, 0);
  expect([await countOf('run-59'), asked.size]).toEqual([1, 60]);
  asked.clear();
  expect([await countOf('run-59'), asked.size]).toEqual([1, 20]);
  // A new episode: the run is counted each time, for as long as counts may be older than it.
  await play(store, 'run-59', 'run-59-b');
  await countOf('run-59');
  asked.clear();
  await countOf('run-59');
  expect(asked.has('run-59')).toBe(true);
  // Every run is counted again after a few requests, whatever is known of it.
  asked.clear();
  for (let i = 0; i < 3; i++) await countOf('run-0');
  expect(asked.size).toBe(60);
});
