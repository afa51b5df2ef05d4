import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { log, rejectionOf, start } from './logs.cases.ts';
import { sqliteStore } from './open-store.ts';
import { child, directory, note, rules, telling, unhandled, withStore } from './sqlite.cases.ts';

beforeAll(() => process.on('unhandledRejection', note));

afterAll(() => {
  process.off('unhandledRejection', note);
  rmSync(directory, { recursive: true });
  expect(unhandled).toEqual([]);
});

let files = 0;

const file = (name = 'db') => join(directory, `${files++}.${name}`);

describe('a store in a file', () => {
  it('[S19] is complete when reopened, and continues where it stopped', async () => {
    const path = file();
    const events = log(3);
    await withStore(path, async (store) => {
      await store.putRun({ id: 'r', plan: { environments: [], seeds: [1], casts: [] }, episodes: 1 });
      await store.putSpec({ name: 'ann', kind: 'random' });
      await store.append('a', 0, telling(rules), 'r');
      await store.append('b', 0, events.slice(0, 4), 'r');
      expect(existsSync(`${path}-wal`)).toBe(true);
    });
    expect(existsSync(`${path}-wal`)).toBe(false);
    await withStore(path, async (store) => {
      expect((await store.runs()).length + (await store.specs()).length).toBe(2);
      await store.append('b', 4, events.slice(4));
      await store.append('c', 0, telling(rules));
      expect((await store.episodes()).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
      expect(await store.events('b')).toEqual(events);
      for (const id of ['a', 'c']) expect(await store.events(id)).toEqual(telling(rules));
    });
  });

  it('[S18] grows in proportion to the turns, even if every turn has the whole chat', async () => {
    const size = async (turns: number) => {
      const path = file();
      await withStore(path, async (store) => {
        const messages: { role: 'user'; content: string }[] = [];
        await store.append('e', 0, [start()]);
        for (let i = 0; i < turns; i++) {
          messages.push({ role: 'user', content: `Offer ${i}: ${(i * 7919) % 1000} coins. ${'Take it or leave it. '.repeat(10)}` });
          const call = {
            model: 'm',
            text: `no ${i}`,
            finish: 'stop',
            usage: { promptTokens: i, completionTokens: 1 },
            cost: null,
          } as const;
          const appended = store.append('e', i + 1, [
            { kind: 'action', seat: 'a', action: { text: 'no' }, calls: [{ ...call, prompt: { messages: [...messages] } }] },
          ]);
          if (i % 20 === 0) await appended;
        }
      });
      return statSync(path).size;
    };
    const [none, some, more] = [await size(0), await size(200), await size(400)];
    expect((more - none) / (some - none)).toBeLessThan(2.3);
    expect(more - none).toBeLessThan(400 * 3000);
  });

  it('[S20] keeps every acknowledged event when the process is killed', async () => {
    const path = file();
    const code = `const store = await sqliteStore(args[0]);
      for (let i = 0; ; i++) {
        const id = 'e' + i;
        const play = async () => {
          await store.append(id, 0, [start]);
          for (let at = 1; at < 40; at += 3) {
            await store.append(id, at, [0, 1, 2].map((k) => ({ kind: 'message', to: ['a'], text: id + ' ' + (at + k) + ' ' + 'long '.repeat(at * 10) })));
            say(id + ' ' + (at + 3));
          }
        };
        const played = play();
        // So many episodes at once, and no more.
        if (i % 20 === 19) await played;
      }`;
    const acknowledged = new Map<string, number>();
    await new Promise<void>((resolve, reject) => {
      const running = spawn(process.execPath, child(code, path), { stdio: ['ignore', 'pipe', 'inherit'] });
      let text = '';
      running.stdout.on('data', (data) => {
        text += data;
        if (text.split('\n').length > 300) running.kill('SIGKILL');
      });
      running.on('error', reject);
      running.on('close', (_code, signal) => {
        expect(signal).toBe('SIGKILL');
        for (const line of text.split('\n').slice(0, -1)) {
          const [id, length] = line.split(' ') as [string, string];
          acknowledged.set(id, Number(length));
        }
        resolve();
      });
    });
    expect(acknowledged.size).toBeGreaterThan(10);
    await withStore(path, async (store) => {
      for (const [id, length] of acknowledged) {
        const events = await store.events(id);
        expect(events.length).toBeGreaterThanOrEqual(length);
        events.slice(1).forEach((event, i) => {
          expect((event as { text: string }).text.startsWith(`${id} ${i + 1} long`)).toBe(true);
        });
        expect((await store.episode(id))?.events).toBe(events.length);
      }
    });
  });

  it('[S21] is shared by processes that open a new file and write at the same time', async () => {
    const path = file();
    const code = `const store = await sqliteStore(args[0]);
      const text = ${JSON.stringify(rules)};
      for (let i = 0; i < 60; i++) await Promise.all([0, 1, 2].map((k) => store.append(args[1] + '-' + i + '-' + k, 0, [start, { kind: 'message', to: ['a'], text }])));
      await store.close();`;
    const done = ['x', 'y', 'z'].map(
      (name) =>
        new Promise<number | null>((resolve) => {
          spawn(process.execPath, child(code, path, name), { stdio: ['ignore', 'inherit', 'inherit'] }).on('close', resolve);
        }),
    );
    expect(await Promise.all(done)).toEqual([0, 0, 0]);
    await withStore(path, async (store) => {
      const all = await store.episodes();
      expect(all).toHaveLength(540);
      expect(new Set(all.map(({ order }) => order)).size).toBe(540);
      expect(await store.events('z-59-2')).toEqual([
        start({ seats: ['a'], cast: { a: 'ann' } }),
        { kind: 'message', to: ['a'], text: rules },
      ]);
    });
  });

  it('[S21] is created once if three threads open the same new file at the same time', async () => {
    const code = `const { parentPort, workerData } = require('node:worker_threads');
      import(workerData).then(({ openSqlite }) => parentPort.on('message', async (path) => {
        try {
          await openSqlite(path).close();
          parentPort.postMessage('opened');
        } catch (thrown) {
          parentPort.postMessage(thrown.message);
        }
      }));`;
    const threads = [0, 1, 2].map(() => new Worker(code, { eval: true, workerData: new URL('./sqlite.ts', import.meta.url).href }));
    for (let i = 0; i < 10; i++) {
      const path = file();
      const opened = threads.map(async (thread) => {
        thread.postMessage(path);
        return (await once(thread, 'message'))[0];
      });
      expect(await Promise.all(opened)).toEqual(['opened', 'opened', 'opened']);
    }
    await Promise.all(threads.map((thread) => thread.terminate()));
  });

  it('[S21] rejects the second of two writers of one log, and both see the stored events', async () => {
    const path = file();
    const [store, two] = [await sqliteStore(path), await sqliteStore(path)];
    const events = log(2);
    await store.append('e', 0, events.slice(0, 3));
    await two.append('e', 3, events.slice(3, 5));
    expect(await rejectionOf(store.append('e', 3, events.slice(3, 5)))).toContain('has 5 events');
    await store.append('e', 5, events.slice(5));
    expect(await two.events('e')).toEqual(events);
    await store.close();
    await two.close();
  });
});
