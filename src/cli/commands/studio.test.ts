/** @file `ludus studio`: it opens, says where, keeps its token for its owner alone, and closes on Ctrl-C. */

import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

/** Runs the command until it has said where it is, calls it there, and presses Ctrl-C. */
async function opened(
  cwd: string,
  argv: readonly string[],
): Promise<{ readonly code: number; readonly out: string; readonly statuses: readonly number[] }> {
  let interrupt: () => void = () => {};
  const statuses: number[] = [];
  const running = ludus(cwd, ['studio', '--no-open', ...argv], {
    during: (press) => {
      interrupt = press;
    },
  });
  const file = join(cwd, '.ludus', 'studio.token');
  const port = Number(argv[argv.indexOf('--port') + 1]);
  for (let tries = 0; tries < 200 && statuses.length === 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    try {
      const token = readFileSync(file, 'utf8').trim();
      for (const headers of [{}, { authorization: `Bearer ${token}` }])
        statuses.push((await fetch(`http://127.0.0.1:${port}/api/home`, { headers })).status);
    } catch {
      // Not open yet.
    }
  }
  interrupt();
  return { ...(await running), statuses };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('ludus studio', () => {
  it('prints an address with a token that lasts, answers who has it, and closes on Ctrl-C', async () => {
    const cwd = folder();
    const port = await freePort();
    const first = await opened(cwd, ['--port', String(port)]);
    expect(first.code).toBe(0);
    expect(first.statuses).toEqual([401, 200]);
    const token = readFileSync(join(cwd, '.ludus', 'studio.token'), 'utf8').trim();
    expect(first.out).toContain(`http://127.0.0.1:${port}/?token=${token}`);
    if (process.platform !== 'win32') expect(statSync(join(cwd, '.ludus', 'studio.token')).mode & 0o777).toBe(0o600);
    const second = await opened(cwd, ['--json', '--port', String(port)]);
    expect(JSON.parse(second.out)).toEqual({ url: `http://127.0.0.1:${port}/?token=${token}` });
  });

  it('says in a sentence what is wrong', async () => {
    const cwd = folder();
    expect(await ludus(cwd, ['studio', '--port', 'x'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--port takes a whole number'),
    });
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const refused = await ludus(cwd, ['studio', '--no-open', '--port', String(port)]);
    taken.close();
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('is taken already; name another with --port') });
    mkdirSync(join(cwd, 'folder.sqlite'));
    expect(await ludus(cwd, ['studio', '--no-open', '--store', 'folder.sqlite'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/directory/),
    });
  });

  it('helps with examples', async () => {
    const { code, out } = await ludus(folder(), ['studio', '--help']);
    expect(code).toBe(0);
    expect(out).toContain('Examples:');
    expect(out).toContain('--no-open');
  });
});
