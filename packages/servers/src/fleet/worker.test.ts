import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Store } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { openSharedStore, type SharedStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, describe, expect, it } from 'vitest';
import { enqueuePlan } from './enqueue-plan.ts';
import { Worker } from './worker.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

const directory = mkdtempSync(join(tmpdir(), 'ludus-worker-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** The same thing, some of whose functions are others. */
function changed<T extends object>(thing: T, change: Partial<T>): T {
  return new Proxy(thing, {
    get(target, key) {
      const value = Reflect.get(Object.hasOwn(change, key) ? change : target, key) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Plays a small plan by one worker on a store that is looked at. */
async function work(name: string, concurrency: number, look: (opened: SharedStore) => SharedStore): Promise<number> {
  const opened = await openSharedStore(join(directory, `${name}.db`));
  await enqueuePlan(readPlan({ name, environments: ['kuhn-poker'], seeds: 20 }), { sharedStore: opened, environment: builtInEnvironment });
  const sharedStore = look(opened);
  const worker = new Worker({ sharedStore, environment: builtInEnvironment, services: agentServices, concurrency, untilEmpty: true });
  await worker.run(new AbortController().signal);
  await opened.close();
  return worker.note.finished;
}

describe('a worker', () => {
  it('reads the casts of a run once for concurrent jobs, and claims no more than it can play', async () => {
    const requests: unknown[] = [];
    const limits: number[] = [];
    const finished = await work('lots', 16, (opened) => {
      const claim: SharedStore['jobs']['claim'] = (wish) => {
        limits.push(wish.limit);
        return opened.jobs.claim(wish);
      };
      const lots = (run?: string) => {
        requests.push(run);
        return opened.jobs.lots(run);
      };
      return { ...opened, jobs: changed(opened.jobs, { lots, claim }) };
    });
    expect([finished, requests, limits[0]]).toEqual([20, ['lots'], 16]);
  });

  it('starts the next episode while the last one is being stored, but no more', async () => {
    const [begun, storing] = [new Set<string>(), new Set<string>()];
    const { promise: next, resolve } = Promise.withResolvers<void>();
    let ahead = 0;
    const append: Store['append'] = async (episode, ...rest) => {
      begun.add(episode);
      storing.add(episode);
      ahead = Math.max(ahead, storing.size);
      if (begun.size > 1) resolve();
      // The first is not stored before the second has begun.
      await next;
      await opened?.store.append(episode, ...rest);
      storing.delete(episode);
    };
    let opened: SharedStore | undefined;
    const finished = await work('ahead', 1, (store) => {
      opened = store;
      return { ...store, store: changed(store.store, { append }) };
    });
    expect([finished, begun.size, ahead]).toEqual([20, 20, 2]);
  });
});
