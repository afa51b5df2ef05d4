/** @file The stub that starts Ludus: an old Node is told so or replaced, a missing build is named, exit codes and signals come through. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, setGlobalProxyFromEnv } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const results: string[] = [];
afterAll(() => {
  for (const path of results) rmSync(path, { recursive: true, force: true });
});

/** A package of our stub and whatever else is given. */
function packed(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), 'ludus-bin-'));
  results.push(path);
  mkdirSync(join(path, 'bin'));
  copyFileSync(join(root, 'packages/ludus-agents/bin/ludus.js'), join(path, 'bin', 'ludus.js'));
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
    chmodSync(join(path, name), 0o755);
  }
  return path;
}

/** As if Node had another version. */
function posingAs(version: string): string {
  const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

async function start(path: string, version: string, ...args: string[]) {
  return startWith({}, path, version, ...args);
}

async function startWith(env: Readonly<Record<string, string>>, path: string, version: string, ...args: string[]) {
  return promisify(execFile)(process.execPath, ['--import', posingAs(version), join(path, 'bin', 'ludus.js'), ...args], {
    env: { ...process.env, ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (failed: { code: number; stdout: string; stderr: string }) => ({ code: failed.code, out: failed.stdout, err: failed.stderr }),
  );
}

const main = 'export async function main() { console.log(process.argv.slice(2).join(" ")); return 7; }';

describe('bin/ludus.js', () => {
  it.each(['20.1.0', '22.12.0', '18.0.0'])('reports that Node %s is too old', async (version) => {
    const { code, out, err } = await start(packed({ 'dist/cli/main.js': main }), version);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(`Ludus needs Node 22.13 or later, but this is ${version}; install a newer one from https://nodejs.org.\n`);
  });

  it.each(['22.13.0', '24.1.0', '100.0.0'])('starts under Node %s, passing arguments and the exit code', async (version) => {
    expect(await start(packed({ 'dist/cli/main.js': main }), version, 'a', 'b')).toEqual({ code: 7, out: 'a b\n', err: '' });
  });

  it('switches to the Node of a checkout', async () => {
    const text = '#!/bin/sh\necho "own node: $2 $3"\nexit 5\n';
    const path = packed({ 'dist/cli/main.js': main, 'node_modules/.bin/node': text });
    expect(await start(path, '20.1.0', 'list', 'x y')).toEqual({ code: 5, out: 'own node: list x y\n', err: '' });
    expect((await start(path, '24.1.0', 'list')).out).toBe('list\n');
  });

  it('reports a missing build', async () => {
    const { code, err } = await start(packed({}), '24.1.0');
    expect(code).toBe(2);
    expect(err).toBe('Ludus is not built yet; run "npm run build" in its folder first.\n');
  });

  it("hides Node's experimental warnings and shows all others", async () => {
    const warns = `export async function main() {
      process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
      process.emitWarning('careful', { type: 'Warning', code: 'MODULE_TYPELESS_PACKAGE_JSON' });
      process.emitWarning('something else', 'DeprecationWarning');
      process.emitWarning('The server counted no tokens.', 'ModelWarning');
      return 0;
    }`;
    const { err } = await start(packed({ 'dist/cli/main.js': warns }), '24.1.0');
    expect(err).toContain('something else');
    expect(err).not.toMatch(/SQLite|careful/);
    expect(err).toMatch(/^! The server counted no tokens\.$/m);
  });

  describe('HTTP proxy variables', () => {
    const asks = `import { get } from 'node:http';
      const byHttp = (url) => new Promise((resolve) => get(url, async (response) => resolve((await response.setEncoding('utf8').toArray()).join(''))));
      export async function main() {
        for (const url of process.argv.slice(2)) console.log(await byHttp(url), await (await fetch(url)).text());
        return 0;
      }`;

    async function servers() {
      const direct = createServer((_, response) => void response.end('direct'));
      // node:http asks a proxy for the whole address; fetch asks for a tunnel, through which this proxy answers itself.
      const proxy = createServer((_, response) => void response.end('proxy'));
      proxy.on('connect', (_, socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        proxy.emit('connection', socket);
      });
      const ports = [direct, proxy].map(async (server) => {
        await once(server.listen(0, '127.0.0.1'), 'listening');
        return (server.address() as AddressInfo).port;
      });
      const [directPort, proxyPort] = await Promise.all(ports);
      const close = () => {
        for (const server of [direct, proxy]) {
          server.close();
          server.closeAllConnections();
        }
      };
      return { own: `http://127.0.0.1:${directPort}/`, proxy: `http://127.0.0.1:${proxyPort}`, close };
    }

    it.runIf(typeof setGlobalProxyFromEnv === 'function')('apply to other machines but not to localhost', async () => {
      const { own, proxy, close } = await servers();
      const path = packed({ 'dist/cli/main.js': asks });
      const { out, err } = await startWith({ HTTP_PROXY: proxy, http_proxy: proxy }, path, '24.21.0', 'http://model.test/v1', own);
      expect({ out, err }).toEqual({ out: 'proxy proxy\ndirect direct\n', err: '' });
      const hushed = { HTTP_PROXY: proxy, http_proxy: proxy, NODE_USE_ENV_PROXY: '0' };
      expect((await startWith(hushed, path, '24.21.0', own)).out).toBe('direct direct\n');
      close();
    });

    it('are named in the error if they are invalid', async () => {
      const { code, err } = await startWith({ HTTP_PROXY: 'no proxy' }, packed({ 'dist/cli/main.js': main }), '24.21.0');
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining('HTTP_PROXY and HTTPS_PROXY name proxies as http://HOST:PORT'),
      });
    });
  });

  it('returns the exit code of the Node it started after a signal', async () => {
    const text = '#!/bin/sh\ntrap "exit 9" TERM\necho ready\nwhile true; do sleep 0.05; done\n';
    const path = packed({ 'node_modules/.bin/node': text });
    const child = spawn(process.execPath, ['--import', posingAs('20.1.0'), join(path, 'bin', 'ludus.js')]);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(9);
  });

  it('ends the Node process it started when it is killed', async () => {
    const stays = 'export async function main() { console.log(process.pid); setInterval(() => {}, 1e6); return new Promise(() => {}); }';
    const path = packed({ 'dist/cli/main.js': stays, 'node_modules/.bin/node': `#!/bin/sh\nexec ${process.execPath} "$@"\n` });
    const launcher = spawn(process.execPath, ['--import', posingAs('20.1.0'), join(path, 'bin', 'ludus.js')]);
    const [printed] = await once(launcher.stdout, 'data');
    expect(Number(printed)).toBeGreaterThan(0);
    launcher.kill('SIGKILL');
    // Both hold the output: it closes once the other process has gone too.
    await once(launcher.stdout, 'close');
  });
});
