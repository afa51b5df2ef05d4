import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EpisodeEvent, Store } from '../core/index.ts';
import { sqliteStore } from './index.ts';
import { log, refused, start } from './logs.cases.ts';
import { migrations } from './schema.ts';
import { migrate } from './sqlite.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-sqlite-'));
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => process.on('unhandledRejection', note));
afterAll(() => {
  process.off('unhandledRejection', note);
  rmSync(directory, { recursive: true });
  expect(unhandled).toEqual([]);
});
let files = 0;
const file = (name = 'db') => join(directory, `${files++}.${name}`);
const rules = 'These are the rules of the game, and they are long. '.repeat(20);
const telling = (text: string): EpisodeEvent[] => [start(), { kind: 'message', to: ['a'], text }];

/** Runs JavaScript in another process; `sqliteStore`, `log` and the arguments are at hand. */
function child(code: string, ...args: string[]) {
  const opening = `import { sqliteStore } from ${JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)};
    import { writeSync } from 'node:fs';
    const args = process.argv.slice(1);
    const start = { kind: 'start', environment: 'duel@1', task: {}, seed: 7, seats: ['a'], cast: { a: 'ann' } };
    const say = (line) => writeSync(1, line + '\\n');`;
  return ['--input-type=module', '-e', `${opening}\n${code}`, ...args];
}

async function kept(path: string, use: (store: Store) => Promise<void>): Promise<void> {
  const store = await sqliteStore(path);
  await use(store);
  await store.close();
}

describe('a store in a file', () => {
  it('[S19] is all there when it is opened again, and goes on where it stopped', async () => {
    const path = file();
    const events = log(3);
    await kept(path, async (store) => {
      await store.putRun({ id: 'r', plan: { environments: [], seeds: [1], casts: [] }, episodes: 1 });
      await store.putSpec({ name: 'ann', kind: 'random' });
      await store.append('a', 0, telling(rules), 'r');
      await store.append('b', 0, events.slice(0, 4), 'r');
      expect(existsSync(`${path}-wal`)).toBe(true);
    });
    expect(existsSync(`${path}-wal`)).toBe(false);
    await kept(path, async (store) => {
      expect((await store.runs()).length + (await store.specs()).length).toBe(2);
      await store.append('b', 4, events.slice(4));
      await store.append('c', 0, telling(rules));
      expect((await store.episodes()).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
      expect(await store.events('b')).toEqual(events);
      for (const id of ['a', 'c']) expect(await store.events(id)).toEqual(telling(rules));
    });
  });

  it('[S18] grows in proportion to the turns, though every turn holds the whole chat', async () => {
    const size = async (turns: number) => {
      const path = file();
      await kept(path, async (store) => {
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
    await kept(path, async (store) => {
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

  it('[S21] is shared by processes that open a new file at once and write at once', async () => {
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
    await kept(path, async (store) => {
      const all = await store.episodes();
      expect(all).toHaveLength(540);
      expect(new Set(all.map(({ order }) => order)).size).toBe(540);
      expect(await store.events('z-59-2')).toEqual([
        start({ seats: ['a'], cast: { a: 'ann' } }),
        { kind: 'message', to: ['a'], text: rules },
      ]);
    });
  });

  it('[S21] is made once where three threads open the same new file at the same moment, file after file', async () => {
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

  it('[S21] refuses the second of two writers of one log, and both see what is stored', async () => {
    const path = file();
    const [one, two] = [await sqliteStore(path), await sqliteStore(path)];
    const events = log(2);
    await one.append('e', 0, events.slice(0, 3));
    await two.append('e', 3, events.slice(3, 5));
    expect(await refused(one.append('e', 3, events.slice(3, 5)))).toContain('has 5 events');
    await one.append('e', 5, events.slice(5));
    expect(await two.events('e')).toEqual(events);
    await one.close();
    await two.close();
  });
});

describe('a file that fails', () => {
  it('[S22] says in a sentence why a path cannot be a store', async () => {
    expect(await refused(sqliteStore(join(directory, 'no', 'such', 'place.db')))).toContain('there is no directory');
    expect(await refused(sqliteStore(directory))).toContain('is a directory');
  });

  /** Opens a file that must be refused, and holds that not a byte of it was touched. */
  async function untouched(path: string): Promise<string> {
    const before = readFileSync(path);
    const sentence = await refused(sqliteStore(path));
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(sentence).toContain(path);
    for (const side of ['-wal', '-journal']) expect(existsSync(path + side)).toBe(false);
    return sentence;
  }

  it('[S22] leaves alone what is not a database', async () => {
    const path = file('txt');
    writeFileSync(path, 'Dear diary, today I was nearly overwritten.\n'.repeat(300));
    expect(await untouched(path)).toContain('not a SQLite database');
  });

  it("[S22] leaves alone another program's database", async () => {
    const [tables, id, version] = [file(), file(), file()];
    for (const [path, sql] of [
      [tables, 'create table bookmarks (url text)'],
      [id, 'pragma application_id = 252006674'],
      [version, 'pragma user_version = 3'],
    ] as const) {
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
      expect(await untouched(path)).toContain('of another program');
    }
  });

  it('[S22] leaves alone a store of a newer version', async () => {
    const path = file();
    await kept(path, (store) => store.append('e', 0, log(1)));
    const database = new DatabaseSync(path);
    database.exec('pragma user_version = 99');
    database.close();
    expect(await untouched(path)).toContain(`newer Ludus (schema 99, this one knows up to ${migrations.length})`);
  });

  it('[S22] says that a damaged file is damaged, and does not make it worse', async () => {
    const whole = file();
    await kept(whole, async (store) => {
      await Promise.all(Array.from({ length: 300 }, (_, i) => store.append(`e${i}`, 0, log(5, { seed: i }))));
    });
    const bytes = readFileSync(whole);
    const schema = file();
    writeFileSync(schema, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(8092, 0xee), bytes.subarray(8192)]));
    expect(await untouched(schema)).toContain('damaged');
    const pages = file();
    writeFileSync(pages, Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192, 0xee)]));
    const cut = file();
    writeFileSync(cut, bytes);
    truncateSync(cut, 8192 * 3);
    for (const path of [pages, cut]) {
      const before = readFileSync(path);
      const attempt = (async () => {
        const store = await sqliteStore(path);
        try {
          for (let i = 0; i < 300; i++) expect(await store.events(`e${i}`)).toEqual(log(5, { seed: i }));
        } finally {
          await store.close();
        }
      })();
      expect(await refused(attempt)).toContain('damaged');
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });

  it('[S22] does not take damaged contents for what was stored', async () => {
    const damage = async (sql: string) => {
      const path = file();
      await kept(path, (store) => store.append('e', 0, telling(rules)));
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
      const store = await sqliteStore(path);
      const sentence = await refused(store.events('e'));
      await store.close();
      return sentence;
    };
    expect(await damage('update chunks set body = substr(body, 2)')).toContain('damaged');
    expect(await damage("update parts set part = replace(part, 'rules', 'rulez')")).toContain('is not what it was');
    expect(await damage('update parts set parent = hash')).toContain('is not what it was');
    expect(await damage('delete from parts')).toContain('is not there; the data is damaged');
  });

  it('[S22] only reads a file, or in a directory, that it may not write', async (context) => {
    // Root may write anything, so as root the attempt is made by nobody.
    const root = process.getuid?.() === 0;
    const place = join(directory, 'locked');
    mkdirSync(place);
    chmodSync(directory, 0o755);
    const [readonly, closed] = [join(place, 'readonly.db'), join(place, 'closed.db')];
    for (const path of [readonly, closed]) await kept(path, (store) => store.append('e', 0, log(1)));
    chmodSync(readonly, 0o444);
    const code = `for (const path of args) await sqliteStore(path).then(
      async (store) => {
        const { length } = await store.events('e');
        await store.putRun({ id: 'r', plan: { environments: [], seeds: [], casts: [] }, episodes: 0 }).catch((fault) => say(length + ' read; ' + fault.message));
      },
      (fault) => say(fault.message));`;
    const attempt = (...paths: string[]) => {
      const ran = spawnSync(process.execPath, child(code, ...paths), { encoding: 'utf8', ...(root ? { uid: 65534, gid: 65534 } : {}) });
      // Below a folder that is closed to others, nobody cannot even start Node, and there is no output at all.
      return (ran.error === undefined ? ran.stdout : '').trim().split('\n');
    };
    if (root) for (const path of [place, readonly]) chownSync(path, 65534, 65534);
    const outcome = attempt(readonly);
    chmodSync(place, 0o555);
    if (root) chownSync(closed, 65534, 65534);
    outcome.push(...attempt(closed, join(place, 'new.db')));
    chmodSync(place, 0o755);
    if (outcome[0] === '') context.skip('this machine does not let another user run Node here');
    for (const one of outcome.slice(0, 2)) expect(one).toMatch(new RegExp(`^${log(1).length} read; .*is open for reading only`));
    expect(outcome[2]).toContain('cannot be opened for writing');
    await kept(closed, async (store) => expect(await store.events('e')).toEqual(log(1)));
  });

  /** Fills a store until it refuses, and holds that all it acknowledged is there and that it works again with room. */
  async function fill(store: Store, again: () => Promise<Store>): Promise<string> {
    const acknowledged: string[] = [];
    let sentence = '';
    for (let round = 0; sentence === '' && round < 1000; round++) {
      const ids = [0, 1, 2, 3].map((k) => `e${round}-${k}`);
      const outcomes = await Promise.allSettled(ids.map((id) => store.append(id, 0, telling(`${id} ${'x'.repeat(20_000)}`))));
      outcomes.forEach((outcome, i) => {
        if (outcome.status === 'fulfilled') acknowledged.push(ids[i] as string);
        else sentence = (outcome.reason as Error).message;
      });
    }
    expect(acknowledged.length).toBeGreaterThan(3);
    for (const id of acknowledged) expect(await store.events(id)).toEqual(telling(`${id} ${'x'.repeat(20_000)}`));
    await store.close();
    const roomy = await again();
    for (const id of acknowledged) expect(await roomy.events(id)).toEqual(telling(`${id} ${'x'.repeat(20_000)}`));
    expect(await roomy.episodes()).toHaveLength(acknowledged.length);
    await roomy.close();
    return sentence;
  }

  it('[S23] says when its file may not grow, and loses nothing it acknowledged', async () => {
    const path = file();
    const sentence = await fill(await sqliteStore(path, { maxBytes: 2 ** 20 }), () => sqliteStore(path));
    expect(sentence).toContain('the disk is full; nothing that was acknowledged is lost');
  });

  it('[S23] says when the disk is full, and loses nothing it acknowledged', async () => {
    const disk = join(directory, 'disk');
    mkdirSync(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', disk]).status !== 0) {
      console.log('skipped: a small disk can be mounted by root only');
      return;
    }
    try {
      const path = join(disk, 'full.db');
      const sentence = await fill(await sqliteStore(path), async () => {
        spawnSync('mount', ['-o', 'remount,size=8m', disk]);
        return sqliteStore(path);
      });
      expect(sentence).toMatch(/the disk is full|space that is left/);
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  });

  it('[S24] rejects all that waited for a failed commit, and works again after it', async () => {
    const path = file();
    const store = await sqliteStore(path, { patience: 20 });
    await store.append('first', 0, telling('short'));
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const waiting = [
      store.append('e', 0, telling(rules)),
      store.append('e', 2, telling(rules).slice(1)),
      store.append('f', 0, telling(rules)),
    ];
    for (const sentence of await Promise.all(waiting.map(refused))) expect(sentence).toContain('another process has been writing');
    expect(await store.events('first')).toEqual(telling('short'));
    other.exec('rollback');
    other.close();
    // The rules were to be stored with what failed: whoever needs them now must bring them again.
    await store.append('f', 0, telling(rules));
    expect(await store.events('f')).toEqual(telling(rules));
    expect(await store.episode('e')).toBeNull();
    await store.close();
  });

  it('[S24] lets nobody be ended by a failed append that is looked at later', async () => {
    const path = file();
    const store = await sqliteStore(path);
    const later = store.append('e', 5, log(1).slice(1));
    // By the time that another append is stored, the failed one has been decided without anybody looking.
    await store.append('f', 0, log(1));
    expect(await refused(later)).toContain('has 0 events');
    await store.close();
  });

  it('[S25] migrates step by step, each step wholly or not at all', () => {
    const path = file();
    const database = new DatabaseSync(path);
    const version = () => Object.values(database.prepare('pragma user_version').get() as object)[0];
    migrate(database, migrations);
    const { length } = migrations;
    expect(version()).toBe(length);
    database.exec("insert into runs (id, episodes, plan) values ('r', 1, '{}')");
    const broken = [...migrations, 'alter table runs add column colour text', 'create table half (x text); insert into nowhere values (1)'];
    expect(() => migrate(database, broken)).toThrow('nowhere');
    expect(version()).toBe(length + 1);
    expect(database.prepare("select name from sqlite_schema where name = 'half'").all()).toEqual([]);
    migrate(database, [...broken.slice(0, length + 1), 'create table whole (x text)']);
    migrate(database, [...broken.slice(0, length + 1), 'create table whole (x text)']);
    expect(version()).toBe(length + 2);
    expect(database.prepare('select id, colour from runs').all()).toEqual([{ id: 'r', colour: null }]);
    database.close();
  });
});
