/** @file `ludus studio`: it opens, says where, keeps its token for its owner alone, and closes on Ctrl-C. */

import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';
import { openCommand } from './studio.ts';

/** Runs the command until it has said where it is, calls it there, and presses Ctrl-C. */
async function opened(
  cwd: string,
  argv: readonly string[],
): Promise<{ readonly code: number; readonly out: string; readonly statuses: readonly number[]; readonly url: string }> {
  const statuses: number[] = [];
  let url = '';
  const outcome = await ludus(cwd, ['studio', '--no-open', '--port', '0', ...argv], {
    during: async (interrupt, written) => {
      url = await written(/http:\/\/127\.0\.0\.1:\d+(?=\/\?token=)/);
      const token = readFileSync(join(cwd, '.ludus', 'studio.token'), 'utf8').trim();
      for (const headers of [{}, { authorization: `Bearer ${token}` }]) statuses.push((await fetch(`${url}/api/home`, { headers })).status);
      interrupt();
    },
  });
  return { ...outcome, statuses, url };
}

describe('ludus studio', () => {
  it('prints an address with a lasting token, requires the token, and closes on Ctrl-C', async () => {
    const cwd = folder();
    const first = await opened(cwd, []);
    expect(first.code).toBe(0);
    expect(first.statuses).toEqual([401, 200]);
    const token = readFileSync(join(cwd, '.ludus', 'studio.token'), 'utf8').trim();
    expect(first.out).toContain(`${first.url}/?token=${token}`);
    if (process.platform !== 'win32') expect(statSync(join(cwd, '.ludus', 'studio.token')).mode & 0o777).toBe(0o600);
    const second = await opened(cwd, ['--json']);
    expect(JSON.parse(second.out)).toEqual({ url: `${second.url}/?token=${token}` });
  });

  it('prints a local address when listening on all interfaces', async () => {
    const { code, out, statuses } = await opened(folder(), ['--host', '0.0.0.0']);
    expect([code, ...statuses]).toEqual([0, 401, 200]);
    expect(out).toContain("write this machine's name in place of 127.0.0.1");
  });

  it('opens an address without a shell on every system', () => {
    const url = 'http://127.0.0.1:1/?token=a&page=b';
    expect(openCommand(url, 'win32')).toEqual(['rundll32', 'url.dll,FileProtocolHandler', url]);
    expect([openCommand(url, 'darwin'), openCommand(url, 'linux')]).toEqual([
      ['open', url],
      ['xdg-open', url],
    ]);
  });

  it('explains invalid options', async () => {
    const cwd = folder();
    expect(await ludus(cwd, ['studio', '--port', 'x'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--port: expected an integer'),
    });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const refused = await ludus(cwd, ['studio', '--no-open', '--port', String(port)]);
    server.close();
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('is taken already; name another with --port') });
    mkdirSync(join(cwd, 'folder.sqlite'));
    expect(await ludus(cwd, ['studio', '--no-open', '--store', 'folder.sqlite'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/directory/),
    });
  });

  it('prints help with examples', async () => {
    const { code, out } = await ludus(folder(), ['studio', '--help']);
    expect(code).toBe(0);
    expect(out).toContain('Examples:');
    expect(out).toContain('--no-open');
  });
});
