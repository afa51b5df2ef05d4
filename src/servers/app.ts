/**
 * @file One HTTP app: doors are mounted on it, and it keeps the rules that they all share.
 *
 * Who may come in is decided before a door hears of it (guard.ts); bodies are bounded; what fails is answered in one sentence, without a
 * stack; a client that stops reading or writing is let go.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context as HonoCall, type Next } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type WebSocket, WebSocketServer } from 'ws';
import { Fault, isFault, sentenceOf } from '../core/index.ts';
import { type Guard, isLoopback, type Refusal, refusalOf } from './guard.ts';

/** One protocol behind one path. */
export interface Door {
  /** "/openenv"; "/" for what no other door takes. */
  readonly path: string;
  readonly app: Hono;
  /** Asks for the token even on loopback, as whatever a page can change must. */
  readonly guarded?: boolean;
  /** Reading needs no token on loopback even where the door is guarded: the page itself, which holds nothing. */
  open?(path: string): boolean;
  /** Takes a WebSocket at a path below the door; null where there is none. `wire` is what carries it. */
  socket?(path: string, request: IncomingMessage): ((socket: WebSocket, wire: Duplex) => void) | null;
  /** Lets go of what it holds when the server closes. */
  close?(): Promise<void>;
}

export interface ServeOptions {
  readonly doors: readonly Door[];
  /** 127.0.0.1 unless told otherwise; beyond loopback a token is always needed. */
  readonly host?: string;
  /** 0 takes any that is free. */
  readonly port?: number;
  /** Made up where one is needed and none is given. */
  readonly token?: string;
  /** The largest body and WebSocket message, in bytes. */
  readonly most?: number;
}

export interface Serving {
  readonly url: string;
  /** Null where nobody needs one. */
  readonly token: string | null;
  close(): Promise<void>;
}

const megabytes = 2 ** 20;

/** What a door answers when it has written to the wire itself. From here, so that it is made before the adaptor changes what a Response is. */
export const alreadySent: Response = RESPONSE_ALREADY_SENT;

export async function serve(options: ServeOptions): Promise<Serving> {
  const { host = '127.0.0.1', port = 0, most = 8 * megabytes } = options;
  // The longest path first: "/" is for what is left.
  const doors = [...options.doors].sort((a, b) => b.path.length - a.path.length);
  const needed = !isLoopback(host) || doors.some(({ guarded }) => guarded === true);
  const guard: Guard = { host, token: options.token ?? (needed ? randomBytes(18).toString('base64url') : null) };
  const server = createAdaptorServer({ fetch: appOf(doors, guard, most).fetch }) as Server;
  // A request must arrive within a minute, its headers within ten seconds; answers may stream for as long as they are read.
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: most, clientTracking: true });
  server.on('upgrade', (request, socket, head) => upgrade({ doors, guard, sockets }, { request, socket, head }));
  await listening(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shown}:${bound}`,
    token: guard.token,
    async close() {
      for (const client of sockets.clients) client.close(1001, 'The server is closing.');
      await Promise.all(doors.map((door) => door.close?.()));
      const closed = new Promise((resolve) => server.close(resolve));
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await closed;
    },
  };
}

function appOf(doors: readonly Door[], guard: Guard, most: number): Hono {
  const app = new Hono();
  app.onError((error, call) => answer(call, refusedBy(error)));
  app.notFound((call) => answer(call, { status: 404, error: `There is nothing at ${call.req.path.slice(0, 200)}.` }));
  app.use(async (call, next) => {
    const path = call.req.path;
    const door = doorOf(doors, path);
    const refused = turnedAway(guard, door, path, {
      headers: (call.env as HttpBindings).incoming.headers,
      changes: call.req.method !== 'GET' && call.req.method !== 'HEAD',
    });
    return refused === null ? next() : answer(call, refused);
  });
  const tooLarge = (call: HonoCall) => answer(call, { status: 413, error: `A request may have ${most} bytes; this one has more.` });
  const counted = bodyLimit({ maxSize: most, onError: tooLarge }) as (call: HonoCall, next: Next) => Promise<Response | undefined>;
  app.use(async (call, next) => {
    // A length that is told is taken at its word, as HTTP does; only without one is the body read, through a web stream, to count.
    if (call.req.header('transfer-encoding') !== undefined) return counted(call, next);
    return Number(call.req.header('content-length') ?? 0) > most ? tooLarge(call) : next();
  });
  app.get('/health', (call) => call.json({ status: 'healthy' }));
  for (const door of doors) app.route(door.path, door.app);
  return app;
}

function turnedAway(
  guard: Guard,
  door: Door | null,
  path: string,
  caller: Omit<Parameters<typeof refusalOf>[1], 'guarded'>,
): Refusal | null {
  // Whether it lives is everybody's to ask, also of whoever watches over a fleet.
  if (path === '/health') return null;
  const open = !caller.changes && door?.open?.(below(door, path)) === true;
  return refusalOf(guard, { ...caller, guarded: door?.guarded === true && !open });
}

function doorOf(doors: readonly Door[], path: string): Door | null {
  return doors.find((door) => door.path === '/' || path === door.path || path.startsWith(`${door.path}/`)) ?? null;
}

/** The rest of a path, as its door sees it. */
function below({ path: door }: Door, path: string): string {
  return door === '/' ? path : path.slice(door.length) || '/';
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

function upgrade(
  { doors, guard, sockets }: { readonly doors: readonly Door[]; readonly guard: Guard; readonly sockets: WebSocketServer },
  { request, socket, head }: Arrival,
): void {
  // A client that leaves before it is answered is no failure of ours.
  socket.on('error', () => socket.destroy());
  const path = new URL(request.url ?? '/', 'http://x').pathname;
  const door = doorOf(doors, path);
  const refused = turnedAway(guard, door, path, { headers: request.headers, changes: true });
  const taken = refused === null ? (door?.socket?.(below(door, path), request) ?? null) : null;
  if (taken === null) hangUp(socket, refused ?? { status: 404, error: `There is no WebSocket at ${path.slice(0, 200)}.` });
  else
    sockets.handleUpgrade(request, socket, head, (opened) => {
      // What the other side breaks closes this socket and no other.
      opened.on('error', () => opened.terminate());
      taken(opened, socket);
    });
}

const reasons: Readonly<Record<number, string>> = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found' };

function hangUp(socket: Duplex, { status, error }: Answer): void {
  const body = JSON.stringify({ error });
  socket.end(
    `HTTP/1.1 ${status} ${reasons[status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

interface Answer {
  readonly status: number;
  readonly error: string;
}

function answer(call: HonoCall, { status, error }: Answer): Response {
  if (status === 401) call.header('www-authenticate', 'Bearer');
  return call.json({ error }, status as ContentfulStatusCode);
}

/** A fault in what was asked is the caller's; anything else is ours, and its details are nobody's business. */
function refusedBy(error: unknown): Answer {
  if (error instanceof NotFound) return { status: 404, error: error.message };
  if (isFault(error)) return { status: error.boundary === 'input' ? 400 : 502, error: error.message };
  if (error instanceof SyntaxError) return { status: 400, error: `The body must be JSON, but is not: ${sentenceOf(error)}.` };
  process.emitWarning(`A request failed: ${sentenceOf(error)}`);
  return { status: 500, error: 'Something went wrong on the server; its own output says what.' };
}

/** Thrown by a door where what was named does not exist. */
export class NotFound extends Fault {
  constructor(message: string) {
    super('input', message);
  }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const busy = error.code === 'EADDRINUSE' ? 'it is taken already; name another with --port' : sentenceOf(error);
      reject(new Fault('server', `Port ${port} of ${host} cannot be opened: ${busy}.`));
    });
    server.listen(port, host, resolve);
  });
}
