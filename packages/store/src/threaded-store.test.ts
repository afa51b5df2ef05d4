import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { log, rejectionOf } from './logs.cases.ts';
import { serverStore, sqliteStore } from './open-store.ts';
import { threadedStore } from './threaded-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-thread-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;
const file = () => join(directory, `${files++}.db`);
const door = pathToFileURL(join(import.meta.dirname, 'open-store.ts')).href;

/** A program that opens the store of a file as `store`, and has `log` to append. */
function program(path: string, rest: string): readonly string[] {
  const head = `import { serverStore } from ${JSON.stringify(door)}; const store = await serverStore(${JSON.stringify(path)}); const log = ${JSON.stringify(log(3))};`;
  return ['--input-type=module', '-e', `${head}\n${rest}`];
}

describe('a store with a commit thread', () => {
  it('is the same file to other processes', async () => {
    const path = file();
    const [threaded, plain] = [await serverStore(path), await sqliteStore(path)];
    await threaded.append('a', 0, log(2));
    expect(await plain.events('a')).toEqual(log(2));
    await plain.append('b', 0, log(1));
    expect(await threaded.events('b')).toEqual(log(1));
    expect(await rejectionOf(threaded.append('b', 0, log(1)))).toContain('b');
    await Promise.all([threaded.close(), plain.close()]);
  });

  it.skipIf(process.platform !== 'linux')(
    'has a thread that yields to those that answer, but does not starve on a busy machine',
    async () => {
      // The 17th of the fields after the name is the priority, of each thread of this process.
      const priorities = () =>
        readdirSync('/proc/self/task').map((id) =>
          Number(readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]!.split(' ')[16]),
        );
      const before = priorities().filter((priority) => priority === getPriority() + 3).length;
      const store = await serverStore(file());
      await store.append('e', 0, log(1));
      await store.episode('e');
      expect(priorities().filter((priority) => priority === getPriority() + 3)).toHaveLength(before + 1);
      expect(Math.max(...priorities())).toBeLessThanOrEqual(getPriority() + 3);
      await store.close();
    },
  );

  it('makes appended events durable on a read, without further delay', async () => {
    // Anyone who waited for the pause in which others may join a commit would wait for an hour.
    const store = await threadedStore(file(), { delay: 3_600_000 });
    void store.append('e', 0, log(1));
    expect((await store.episode('e'))?.status).toBe('over');
    await store.close();
  });

  it('loses no acknowledged data when the process is killed', async () => {
    const path = file();
    const rest =
      'for (let i = 0; ; i++) { await Promise.all(Array.from({ length: 50 }, (_, k) => store.append(i + "-" + k, 0, log))); console.log(i); }';
    const child = spawn(process.execPath, program(path, rest), { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    await new Promise<void>((resolve) =>
      child.stdout
        .on('data', (piece) => {
          text += piece;
          if (text.split('\n').length > 4) child.kill('SIGKILL');
        })
        .on('close', () => resolve()),
    );
    const acknowledged = text.trim().split('\n');
    const store = await sqliteStore(path);
    for (const i of acknowledged) for (let k = 0; k < 50; k++) expect(await store.events(`${i}-${k}`)).toEqual(log(3));
    expect(acknowledged.length).toBeGreaterThanOrEqual(4);
    await store.close();
  });

  it('lets a process exit without close only after its writes are done', async () => {
    const path = file();
    const { status, stderr } = spawnSync(process.execPath, program(path, 'store.append("last", 0, log);'), { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const store = await sqliteStore(path);
    expect(await store.events('last')).toEqual(log(3));
    await store.close();
  });

  it('rejects a foreign file with the same error as every store', async () => {
    expect(await rejectionOf(serverStore(directory))).toBe(await rejectionOf(sqliteStore(directory)));
  });
});
