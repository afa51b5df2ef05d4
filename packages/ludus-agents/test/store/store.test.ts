import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type EpisodeEvent, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { rejectionOf } from '@ludus-agents/store/internal/logs.cases';
import type * as OpenStore from '@ludus-agents/store/internal/open-store';
import { memoryStore, openStore, sqliteStore } from '@ludus-agents/store/internal/open-store';
import { storeCases } from '@ludus-agents/store/internal/store.cases';
import { afterAll, describe, expect, it } from 'vitest';
import { importBuilt } from '../../../../test/fixtures/built.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-store-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;
const file = () => join(directory, `${files++}.db`);

storeCases('memory', async () => memoryStore());
storeCases('sqlite', () => sqliteStore(file()));
// Each of them starts a thread, which loads what was built in a tenth of the time.
const { serverStore } = (await importBuilt('store/open-store')) as typeof OpenStore;
storeCases('a thread', () => serverStore(file()));

describe('openStore', () => {
  it('[S15] opens memory and files by name, and nothing else', async () => {
    const path = file();
    for (const where of ['memory:', path]) {
      const store = await openStore(where);
      expect(await store.episodes()).toEqual([]);
      await store.close();
    }
    expect(await rejectionOf(openStore('postgres://localhost:1/ludus'))).toContain('connection refused');
    expect(await rejectionOf(openStore('http://localhost/'))).toContain('"http://localhost/"');
    expect(await rejectionOf(openStore(''))).toContain('a file path');
  });

  it('[S6] stores thousands of real logs identically in memory and on disk', async () => {
    const random = scriptedPolicy('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices as string[]) }));
    const seeds = Array.from({ length: 1500 }, (_, i) => i);
    const logs = await rollout(kuhnPoker, { first: random, second: random }, { seeds });
    for (const store of [memoryStore(), await sqliteStore(file())]) {
      await Promise.all(logs.map((events, i) => store.append(`e${i}`, 0, events, 'r')));
      for (let i = 0; i < logs.length; i += 97)
        expect(await store.events(`e${i}`)).toEqual(JSON.parse(JSON.stringify(logs[i] as EpisodeEvent[])));
      expect((await store.statuses('r')).size).toBe(1500);
      await store.close();
    }
  });
});
