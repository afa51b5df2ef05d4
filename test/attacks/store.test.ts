/** @file Attacks on what is kept: names that a store cannot hold, and a store that is locked for a while or for long. An episode fails, not the house. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Store } from '@ludus-agents/kernel/internal/core/index';
import type { RequestRetryOptions } from '@ludus-agents/servers/internal/retry';
import { closeTestServers, startTestServer, type TestServer } from '@ludus-agents/servers/internal/server.cases';
import { threadedStore } from '@ludus-agents/store/internal/threaded-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stillServes } from './server.cases.ts';

let folder: string;
let store: Store;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ludus-store-'));
  file = join(folder, 'x.sqlite');
  // A write waits for no time at all, so that a lock is met at once.
  store = await threadedStore(file, { patience: 0, delay: 0 });
});
afterEach(async () => {
  await closeTestServers();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const house = (retry: RequestRetryOptions = {}): Promise<TestServer> => startTestServer({ store, episodeHost: { retry } });

/** Holds the file for writing until it is let go. */
function lock(): () => void {
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  return () => {
    if (other.isOpen) other.close();
  };
}

const post = async ({ url }: TestServer, path: string, body: object) => {
  const response = await fetch(`${url}/openenv/tic-tac-toe/${path}`, { method: 'POST', body: JSON.stringify(body) });
  return [response.status, await response.text()] as const;
};
const health = async ({ url }: TestServer) => {
  const response = await fetch(`${url}/health`);
  return [response.status, (await response.json()) as object] as const;
};

describe('a store in a file', () => {
  const unknown = [
    'scripted:nobody',
    { kind: 'scripted', name: 5 },
    { kind: 'scripted', name: ['x'] },
    { kind: 'random', name: '' },
    { kind: 'random', name: 'x'.repeat(256) },
    { kind: 'random', name: '\0' },
    { kind: 'random', name: '\ud800' },
    { kind: 5 },
    { O: { kind: 'scripted', name: {} } },
    { O: 5 },
    { O: null },
  ];

  it('rejects opponent names that it cannot store, without affecting other clients', async () => {
    const here = await house();
    for (const [i, opponents] of unknown.entries()) {
      expect((await post(here, 'reset', { seed: 1, episode_id: `other ${i}` }))[0]).toBe(200);
      expect([opponents, (await post(here, 'reset', { opponents }))[0]]).toEqual([opponents, 400]);
      expect((await post(here, 'step', { action: { message: '[0]' }, episode_id: `other ${i}` }))[0]).toBe(200);
      await here.episodeHost.ledger.settle();
      expect(await health(here)).toEqual([200, { status: 'healthy' }]);
    }
    expect(await store.episodes()).toHaveLength(unknown.length);
    await stillServes(here.url);
  });

  it('loses nothing while it is temporarily locked', async () => {
    let unlock = () => {};
    const waited: number[] = [];
    const here = await house({
      // The third wait ends with the lock let go.
      sleep: async (milliseconds) => {
        if (waited.push(milliseconds) === 3) unlock();
      },
    });
    expect((await post(here, 'reset', { seed: 1, episode_id: 'a' }))[0]).toBe(200);
    await here.episodeHost.ledger.settle();
    unlock = lock();
    expect((await post(here, 'step', { action: { message: '[0]' }, episode_id: 'a' }))[0]).toBe(200);
    await here.episodeHost.ledger.settle();
    expect(waited).toEqual([100, 200, 400]);
    const [episode] = await store.episodes();
    const state = (await (await fetch(`${here.url}/openenv/tic-tac-toe/state?episode_id=a`)).json()) as { step_count: number };
    expect([episode?.status, state.step_count]).toEqual(['running', 1]);
    expect((await store.events(episode?.id as string)).some(({ kind }) => kind === 'action')).toBe(true);
    expect(await health(here)).toEqual([200, { status: 'healthy' }]);
  });

  it('ends the episode with an error while locked and accepts new ones once unlocked', async () => {
    const here = await house({ sleep: async () => {} });
    expect((await post(here, 'reset', { seed: 1, episode_id: 'a' }))[0]).toBe(200);
    await here.episodeHost.ledger.settle();
    const unlock = lock();
    await post(here, 'step', { action: { message: '[0]' }, episode_id: 'a' });
    await here.episodeHost.ledger.settle();
    expect(await health(here)).toEqual([503, { status: 'unhealthy', reason: expect.stringContaining('another process has been writing') }]);
    expect(await post(here, 'step', { action: { message: '[1]' }, episode_id: 'a' })).toEqual([
      503,
      expect.stringContaining('cannot be saved'),
    ]);
    expect(await post(here, 'reset', { seed: 2 })).toEqual([503, expect.stringContaining('cannot be saved')]);
    unlock();
    expect(await health(here)).toEqual([200, { status: 'healthy' }]);
    expect((await post(here, 'reset', { seed: 2 }))[0]).toBe(200);
    await stillServes(here.url);
  });
});
