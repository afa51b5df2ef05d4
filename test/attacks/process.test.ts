/** @file Attacks on the process itself: signals while episodes are open and the store hangs, and unexpected exceptions. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { owner } from '@ludus-agents/servers/internal/access';
import { serve } from '@ludus-agents/servers/internal/app';
import { Sessions } from '@ludus-agents/servers/internal/sessions';
import { sqliteStore } from '@ludus-agents/store/internal/open-store';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { builtFile } from '../fixtures/built.ts';

let cwd: string;
const children = new Set<ChildProcess>();
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ludus-process-'));
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  rmSync(cwd, { recursive: true, force: true });
});

const main = builtFile('ludus-agents/cli/main');
/** Throws an uncaught error whenever it gets the signal: in a timer, and in a promise without a handler. */
const stray = `process.on('SIGUSR2', () => { setImmediate(() => { throw new Error('a stray exception'); }); Promise.reject(new Error('a stray promise')); });`;

interface Child {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  /** The exit code and the signal that ended it. */
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
  readonly errors: () => string;
}

/** A server in its own process. */
async function started(...args: readonly string[]): Promise<Child> {
  const all = ['serve', 'openenv', 'tic-tac-toe', '--port', '0', '--json', ...args];
  const start = `${stray} import(${JSON.stringify(main)}).then(({ main }) => main(${JSON.stringify(all)})).then((code) => { process.exitCode = code; })`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', start], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let errors = '';
  child.stderr.on('data', (piece) => {
    errors += piece;
  });
  const ended = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) => child.on('exit', (...how) => resolve(how)));
  const statement = await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), ended.then(() => errors)]);
  const { url, token } = JSON.parse(String(statement)) as { url: string; token: string };
  return { child, url, token, ended, errors: () => errors };
}

/** A socket with an episode that is open. */
async function seated({ url, token }: Child): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?token=${token}`);
  socket.on('error', () => {});
  socket.on('open', () => socket.send('{"type":"reset","data":{"seed":1}}'));
  await new Promise((resolve) => socket.once('message', resolve));
  return socket;
}

/** The lock of someone else who is writing. */
function lock(): DatabaseSync {
  const other = new DatabaseSync(join(cwd, '.ludus', 'ludus.sqlite'));
  other.exec('begin immediate');
  return other;
}

describe('a server process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends on %s and saves the open episode', async (signal) => {
    const server = await started();
    await seated(server);
    server.child.kill(signal);
    expect(await server.ended).toEqual([0, null]);
    const store = await sqliteStore(join(cwd, '.ludus', 'ludus.sqlite'));
    expect(await store.episodes()).toMatchObject([{ status: 'abort' }]);
    await store.close();
  });

  it('ends on SIGTERM within its grace period while another process locks the store', async () => {
    const server = await started('--grace', '0.2');
    await seated(server);
    const other = lock();
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual([130, null]);
    other.close();
  });

  it('ends immediately on a second signal', async () => {
    const server = await started('--grace', '1000');
    const socket = await seated(server);
    const other = lock();
    const closing = new Promise((resolve) => socket.once('close', resolve));
    server.child.kill('SIGTERM');
    await closing;
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual([130, null]);
    other.close();
  });

  it('survives and reports uncaught exceptions and rejections', async () => {
    const server = await started();
    await seated(server);
    const observation = new Promise<void>((resolve) =>
      server.child.stderr?.on('data', () => {
        if (/a stray exception[\s\S]*a stray promise|a stray promise[\s\S]*a stray exception/.test(server.errors())) resolve();
      }),
    );
    server.child.kill('SIGUSR2');
    await Promise.race([observation, server.ended.then((how) => Promise.reject(new Error(`it ended: ${how.join(' ')}`)))]);
    expect(await (await fetch(`${server.url}/health`)).json()).toEqual({ status: 'healthy' });
    await seated(server);
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual([0, null]);
  });

  it('makes its store, token, and audit log readable only by their owner', async () => {
    const server = await started();
    await seated(server);
    await fetch(`${server.url}/reset`, { method: 'POST', body: '{}' });
    const modes = () =>
      ['ludus.sqlite', 'ludus.sqlite-wal', 'ludus.sqlite-shm', 'studio.token', 'audit.jsonl'].map((name) => [
        name,
        (statSync(join(cwd, '.ludus', name)).mode & 0o777).toString(8),
      ]);
    expect(modes().map(([, mode]) => mode)).toEqual(['600', '600', '600', '600', '600']);
    server.child.kill('SIGTERM');
    await server.ended;
  });
});

describe('a closing server', () => {
  it('ends even if routes throw or never close', async () => {
    const never = new Promise<void>(() => {});
    const door = (path: string, close: () => Promise<void>) => ({ path, app: new Hono(), close });
    const closed: string[] = [];
    const routes = [
      door('/a', () => never),
      door('/b', () => {
        throw new Fault('store', 'The store is gone.');
      }),
      door('/c', async () => Promise.reject(new Error('x'))),
      door('/d', async () => void closed.push('d')),
    ];
    const serving = await serve({ routes, noToken: true, grace: 1 });
    await serving.close();
    expect(closed).toEqual(['d']);
    await expect(fetch(`${serving.url}/health`)).rejects.toThrow();
  });

  it('reports why it is unhealthy and recovers', async () => {
    let reason: string | null = 'The store is gone.';
    const ill = {
      path: '/a',
      app: new Hono(),
      health: () => (reason === null ? { status: 'healthy' as const } : { status: 'unhealthy' as const, reason }),
    };
    const lost = {
      path: '/b',
      app: new Hono(),
      health: () => {
        if (reason !== null) throw new Error('It cannot even say.');
        return { status: 'healthy' as const };
      },
    };
    const serving = await serve({ routes: [ill, lost], noToken: true });
    const healthOf = async () => {
      const response = await fetch(`${serving.url}/health`);
      return [response.status, await response.json()];
    };
    expect(await healthOf()).toEqual([503, { status: 'unhealthy', reason: 'The store is gone. It cannot even say.' }]);
    reason = null;
    expect(await healthOf()).toEqual([200, { status: 'healthy' }]);
    await serving.close();
  });

  it('keeps running when a stream of one of its routes breaks', async () => {
    const broken = new Hono();
    const pieces = () => {
      let hasFailed = false;
      return new ReadableStream({
        pull(reader) {
          if (hasFailed) throw new Error('the store failed in the middle');
          hasFailed = true;
          reader.enqueue(new TextEncoder().encode('first'));
        },
      });
    };
    broken.get('/', (call) => call.body(pieces()));
    const serving = await serve({ routes: [{ path: '/a', app: broken }], noToken: true });
    await expect(fetch(`${serving.url}/a`).then((response) => response.text())).rejects.toThrow();
    expect((await fetch(`${serving.url}/health`)).status).toBe(200);
    await serving.close();
  });

  it('refuses to listen on other interfaces without a token', async () => {
    await expect(serve({ routes: [], noToken: true, host: '0.0.0.0' })).rejects.toThrow(
      'Without tokens, a server can only listen on loopback,',
    );
  });
});

describe('sessions', () => {
  it('are all closed when idle, even if closing or notifying one of them fails', () => {
    const gone: string[] = [];
    const fail = () => {
      throw new Error('x');
    };
    const sessionTable = new Sessions<{ close(): void }>({ idle: 1000 });
    sessionTable.admit(owner, () => ({ close: fail }), { id: 'bad', expired: fail });
    sessionTable.admit(owner, () => ({ close: () => void gone.push('good') }), { id: 'good', expired: () => void gone.push('told') });
    sessionTable.reap(0);
    expect([sessionTable.size, gone]).toEqual([2, []]);
    sessionTable.reap(Number.MAX_SAFE_INTEGER);
    expect([sessionTable.size, gone]).toEqual([0, ['good', 'told']]);
    sessionTable.shut();
  });
});
