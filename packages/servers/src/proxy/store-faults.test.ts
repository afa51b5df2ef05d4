/** @file A store that fails for a while: the recording door tries again, and nothing is lost, doubled or out of order. */

import { relay } from '@ludus-agents/environments/internal/relay';
import { Fault, rng, type Store } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { afterEach, describe, expect, it } from 'vitest';
import { whole } from '../../../../test/fixtures/scripted-server.ts';
import { retryingAppends } from '../retry.ts';
import { ask, awaitRecords, callsIn, client, closeProxy, desk, open } from './proxy.cases.ts';

afterEach(closeProxy);

const locked = () => new Fault('store', 'The store is locked.', { transient: true });
const retry = { sleep: async () => {} };

/** A store whose appends, reads and runs fail as `fails` says, before anything is done. */
function failing(store: Store, fails: () => Fault | null): Store {
  const doubtful = new Set(['append', 'episode', 'events', 'putRun']);
  return new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...of: unknown[]) => Promise<unknown>;
      if (typeof method !== 'function') return method;
      return async (...of: unknown[]) => {
        const fault = doubtful.has(String(name)) ? fails() : null;
        if (fault !== null) throw fault;
        return method.apply(target, of);
      };
    },
  });
}

/** Six calls of one episode, and its end. */
async function talk(url: string): Promise<void> {
  const messages = [...ask.messages] as { role: 'user' | 'assistant'; content: string }[];
  for (let i = 0; i < 6; i++) {
    const { choices } = await client(url, '/r/x/e/1/s/player/v1').chat.completions.create({ ...ask, messages });
    messages.push({ role: 'assistant', content: choices[0]?.message.content ?? '' }, { role: 'user', content: `again ${i}` });
  }
}

describe('a temporarily failing store', () => {
  it.each([1, 2, 3, 4, 5])('is retried until everything is stored once and in order (%i)', async (seed) => {
    const dice = rng(seed, 'faults');
    const retainedStore = memoryStore();
    let faults = 0;
    // Three in a row at most: six attempts are made.
    let row = 0;
    const store = failing(retainedStore, () => {
      row = dice.int(2) === 0 && row < 3 ? row + 1 : 0;
      if (row > 0) faults++;
      return row > 0 ? locked() : null;
    });
    const url = await open([whole('hi')], { store, retry });
    await talk(url);
    desk.store = retainedStore;
    const [log] = await awaitRecords();
    expect(faults).toBeGreaterThan(0);
    expect(callsIn(log ?? [])).toHaveLength(6);
    expect(replay(relay, log ?? [])).toBeNull();
    expect(desk.recorder.health.status).toBe('healthy');
  });

  it('is reported once it fails permanently, without further retries', async () => {
    let tries = 0;
    let fault: Fault | null = null;
    const retainedStore = memoryStore();
    const store = failing(retainedStore, () => {
      if (fault !== null) tries++;
      return fault;
    });
    const url = await open([whole('hi')], { store, retry });
    const call = () => client(url, '/r/x/e/1/s/player/v1').chat.completions.create(ask);
    await call();
    fault = new Fault('store', 'The disk is full.');
    await call();
    await desk.recorder.close();
    expect(tries).toBeGreaterThan(0);
    expect(desk.recorder.health).toMatchObject({ status: 'degraded', reason: expect.stringContaining('The disk is full.') });
  });
});

describe('concurrent appends', () => {
  it('continue after a delayed append, but not after a lost one', async () => {
    const log: number[] = [];
    let fails: (Fault | null)[] = [locked(), null, null];
    const append = async (_: string, index: number, events: readonly unknown[]) => {
      const fault = fails.shift() ?? null;
      if (fault !== null) throw fault;
      if (index !== log.length) throw new Fault('store', 'There is a gap.');
      log.push(...events.map((_, i) => index + i));
    };
    const two = [{}, {}] as never[];
    const late = retryingAppends({ append }, retry);
    await Promise.all([0, 2, 4].map((index) => late.append('e', index, two)));
    expect(log).toEqual([0, 1, 2, 3, 4, 5]);
    fails = [new Fault('store', 'The disk is full.'), null];
    const lost = retryingAppends({ append }, retry);
    const ends = await Promise.allSettled([lost.append('e', 6, two), lost.append('e', 8, two)]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(log).toHaveLength(6);
  });
});
