import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Store } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { log, rejectionOf } from './logs.cases.ts';
import { sqliteStore } from './open-store.ts';
import { migrations } from './schema.ts';
import { child, directory, note, rules, telling, unhandled, withStore } from './sqlite.cases.ts';
import { migrate } from './sqlite.ts';

beforeAll(() => process.on('unhandledRejection', note));

afterAll(() => {
  process.off('unhandledRejection', note);
  rmSync(directory, { recursive: true });
  expect(unhandled).toEqual([]);
});

let files = 0;

const file = (name = 'db') => join(directory, `${files++}.${name}`);

describe('a failing SQLite store', () => {
  it('[S22] explains why a path cannot be a store', async () => {
    expect(await rejectionOf(sqliteStore(join(directory, 'no', 'such', 'place.db')))).toContain('cannot be opened: the directory');
    expect(await rejectionOf(sqliteStore(directory))).toContain('is a directory');
  });

  /** Opens a file that must be refused, and holds that not a byte of it was touched. */
  async function untouched(path: string): Promise<string> {
    const before = readFileSync(path);
    const sentence = await rejectionOf(sqliteStore(path));
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(sentence).toContain(path);
    for (const side of ['-wal', '-journal']) expect(existsSync(path + side)).toBe(false);
    return sentence;
  }

  it('[S22] leaves a file untouched that is not a database', async () => {
    const path = file('txt');
    writeFileSync(path, 'Dear diary, today I was nearly overwritten.\n'.repeat(300));
    expect(await untouched(path)).toContain('not a SQLite database');
  });

  it('[S22] leaves the database of another program untouched', async () => {
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

  it('[S22] leaves a store of a newer version untouched', async () => {
    const path = file();
    await withStore(path, (store) => store.append('e', 0, log(1)));
    const database = new DatabaseSync(path);
    database.exec('pragma user_version = 99');
    database.close();
    expect(await untouched(path)).toContain(`newer Ludus (schema 99, this one supports up to ${migrations.length})`);
  });

  it('[S22] reports a damaged file and does not damage it further', async () => {
    const whole = file();
    await withStore(whole, async (store) => {
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
      expect(await rejectionOf(attempt)).toContain('damaged');
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });

  it('[S22] does not accept damaged contents as stored data', async () => {
    const damage = async (sql: string) => {
      const path = file();
      await withStore(path, (store) => store.append('e', 0, telling(rules)));
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
      const store = await sqliteStore(path);
      const sentence = await rejectionOf(store.events('e'));
      await store.close();
      return sentence;
    };
    expect(await damage('update chunks set body = substr(body, 2)')).toContain('damaged');
    expect(await damage("update parts set part = replace(part, 'rules', 'rulez')")).toContain('… was changed. Restore a copy.');
    expect(await damage('update parts set parent = hash')).toContain('… was changed. Restore a copy.');
    expect(await damage('delete from parts')).toContain('… that is missing. The data is damaged or');
  });

  it('[S22] opens a file for reading only if it or its directory is not writable', async (context) => {
    // Root may write anywhere, so as root the attempt is made as the user "nobody".
    const root = process.getuid?.() === 0;
    const place = join(directory, 'locked');
    mkdirSync(place);
    chmodSync(directory, 0o755);
    const [readonly, closed] = [join(place, 'readonly.db'), join(place, 'closed.db')];
    for (const path of [readonly, closed]) await withStore(path, (store) => store.append('e', 0, log(1)));
    chmodSync(readonly, 0o444);
    const code = `for (const path of args) await sqliteStore(path).then(
      async (store) => {
        const { length } = await store.events('e');
        await store.putRun({ id: 'r', plan: { environments: [], seeds: [], casts: [] }, episodes: 0 }).catch((fault) => say(length + ' read; ' + fault.message));
      },
      (fault) => say(fault.message));`;
    const attempt = (...paths: string[]) => {
      const ran = spawnSync(process.execPath, child(code, ...paths), { encoding: 'utf8', ...(root ? { uid: 65534, gid: 65534 } : {}) });
      // Below a folder that is closed to others, that user can't even start Node, and there is no output.
      return (ran.error === undefined ? ran.stdout : '').trim().split('\n');
    };
    if (root) for (const path of [place, readonly]) chownSync(path, 65534, 65534);
    const outcome = attempt(readonly);
    chmodSync(place, 0o555);
    if (root) chownSync(closed, 65534, 65534);
    outcome.push(...attempt(closed, join(place, 'new.db')));
    chmodSync(place, 0o755);
    if (outcome[0] === '') context.skip('this machine does not let another user run Node here');
    for (const item of outcome.slice(0, 2)) expect(item).toMatch(new RegExp(`^${log(1).length} read; .*is open for reading only`));
    expect(outcome[2]).toContain('cannot be opened for writing');
    await withStore(closed, async (store) => expect(await store.events('e')).toEqual(log(1)));
  });

  /** Fills a store until it refuses, and holds that all it acknowledged is there and that it works again with room. */
  async function fill(store: Store, again: () => Promise<Store>): Promise<string> {
    const acknowledged: string[] = [];
    let sentence = '';
    for (let round = 0; sentence === '' && round < 1000; round++) {
      const ids = [0, 1, 2, 3].map((k) => `e${round}-${k}`);
      const outcomes = await Promise.allSettled(ids.map((id) => store.append(id, 0, telling(`${id} ${'x'.repeat(20_000)}`))));
      outcomes.forEach((outcome, i) => {
        if (outcome.status === 'fulfilled') acknowledged.push(ids[i]!);
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

  it('[S23] reports that its file cannot grow, and loses no acknowledged data', async () => {
    const path = file();
    const sentence = await fill(await sqliteStore(path, { maxBytes: 2 ** 20 }), () => sqliteStore(path));
    expect(sentence).toContain('the disk is full; no acknowledged data is lost');
  });

  it('[S23] reports a full disk, and loses no acknowledged data', async () => {
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
      expect(sentence).toMatch(/the disk is full|free space/);
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  });

  it('[S24] rejects everything waiting for a failed commit, and works again afterwards', async () => {
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
    for (const sentence of await Promise.all(waiting.map(rejectionOf))) expect(sentence).toContain('another process has been writing');
    expect(await store.events('first')).toEqual(telling('short'));
    other.exec('rollback');
    other.close();
    // The rules were to be stored with what failed: anyone who needs them now must bring them again.
    await store.append('f', 0, telling(rules));
    expect(await store.events('f')).toEqual(telling(rules));
    expect(await store.episode('e')).toBeNull();
    await store.close();
  });

  it('[S24] does not crash the process with a failed append that is awaited later', async () => {
    const path = file();
    const store = await sqliteStore(path);
    const later = store.append('e', 5, log(1).slice(1));
    // By the time that another append is stored, the failed one has been decided without anyone looking.
    await store.append('f', 0, log(1));
    expect(await rejectionOf(later)).toContain('has 0 events');
    await store.close();
  });

  it('[S25] migrates step by step, each step atomically', () => {
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
