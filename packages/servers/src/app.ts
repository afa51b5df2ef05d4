/**
 * @file The HTTP app: routes are mounted on it, and it enforces their shared rules.
 *
 * Access is decided before a route runs (access.ts). Body sizes are limited. Failures are reported in one sentence, without a stack. A
 * client that stops reading or writing is disconnected.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Fault, isFault, report, safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { Hono, type Context as HonoCall, type Next } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type WebSocket, WebSocketServer } from 'ws';
import { type AccessScope, type Caller, type Guard, isLoopback, pathOf, type TokenFinder } from './access.ts';
import type { RateLimitOptions } from './admission.ts';
import { Admission, type CallerNow, type Denial, type Needs } from './admission.ts';
import type { AuditLog } from './audit-log.ts';
import { type BrowserSessions, secretIn } from './browser-sessions.ts';
import { type Health, statusCodeOf, worstOf } from './health.ts';

/** The routes of one protocol, served below one path. */
export interface HttpRoutes {
  /** "/openenv"; "/" for paths that no other route handles. */
  readonly path: string;
  readonly app: Hono;
  /** Needs a token even if the owner requires none. Required for everything that a page can change. */
  readonly guarded?: boolean;
  /**
   * The scopes, one of which a caller needs, for a path below the mount; null for public content, such as a page without data. "SOCKET" is
   * the method of a WebSocket. By default GET needs `read`, and all other methods need `play`.
   */
  needs?(path: string, method: string): readonly AccessScope[] | null;
  /** Accepts a WebSocket at a path below the mount; null if there is none. `wire` is its underlying connection. */
  socket?(path: string, caller: Caller, now: CallerNow): ((socket: WebSocket, wire: Duplex) => void) | null;
  /** Browser sessions of its page, each belonging to the owner or a token. */
  readonly sessions?: BrowserSessions;
  /** Whether it can work. */
  health?(): Health | Promise<Health>;
  /** Releases its resources when the server closes. */
  close?(): Promise<void>;
}

export interface ServeOptions {
  readonly routes: readonly HttpRoutes[];
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** 0 for any free port. */
  readonly port?: number;
  /** The owner's token; generated if omitted. */
  readonly token?: string;
  /** Admits programs on this machine without a token; not allowed beyond loopback. */
  readonly noToken?: boolean;
  /** Finds tokens other than the owner's (tokens.ts). */
  readonly tokens?: TokenFinder;
  readonly audit?: AuditLog;
  /** The rate limit per token or address; 2000 requests per second by default. */
  readonly rate?: RateLimitOptions;
  /** The largest body and WebSocket message, in bytes. */
  readonly most?: number;
  /** Milliseconds for routes to write pending data when the server closes; 10 s by default. */
  readonly grace?: number;
}

/** A listening server. */
export interface Serving {
  readonly url: string;
  /** The owner's token; null if none is needed. */
  readonly token: string | null;
  /** Closes within the grace period, even if a route hangs. */
  close(): Promise<void>;
}

const megabytes = 2 ** 20;

/** The return value of a route that has written to the connection itself. It is created here, before the adapter replaces Response. */
export const alreadySent: Response = RESPONSE_ALREADY_SENT;

/** Starts an HTTP server with the given routes. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { host = '127.0.0.1', port = 0, most = 8 * megabytes, noToken = false, audit: log = null } = options;
  if (noToken && !isLoopback(host))
    throw new Fault('input', `Without tokens, a server can only listen on loopback, not on ${host}. Remove --no-token or --host.`);
  // The longest path first, because "/" matches all others.
  const routes = [...options.routes].sort((a, b) => b.path.length - a.path.length);
  const needed = !noToken || routes.some(({ guarded }) => guarded === true);
  const token = options.token ?? (needed ? randomBytes(18).toString('base64url') : null);
  const sessions = routes.find((door) => door.sessions !== undefined)?.sessions;
  const sessionCaller = (cookies: string | undefined, hostname: string) => {
    const secret = secretIn(cookies);
    return secret === undefined ? null : (sessions?.callerOf(secret, hostname) ?? null);
  };
  const isOpenCode = (code: string) => sessions?.isOpenCode(code) ?? false;
  const guard: Guard = { host, token, find: options.tokens ?? (() => null), noToken, sessionCaller, isOpenCode };
  const admission = new Admission({ guard, audit: log, rate: options.rate ?? { perSecond: 2000, burst: 4000 } });
  const server = createAdaptorServer({ fetch: appOf({ routes, admission, most }).fetch }) as Server;
  // A request must arrive within a minute, its headers within ten seconds; answers may stream for as long as they are read.
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  // Longer than a busy process needs to read a request: with Node's five seconds, a new request can meet a closed connection.
  server.keepAliveTimeout = 60_000;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: most, clientTracking: true });
  server.on(
    'upgrade',
    safely(
      'A WebSocket',
      (request: IncomingMessage, socket: Duplex, head: Buffer) => upgrade({ routes, admission, sockets }, { request, socket, head }),
      (_, __, socket) => socket.destroy(),
    ),
  );
  await listening(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  const text = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${text}:${bound}`,
    token,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const client of sockets.clients) client.close(1001, 'The server is closing.');
      await closeDoors(routes, options.grace ?? 10_000);
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await closed;
      log?.close();
    },
  };
}

/** Waits until every route has closed, at most for the grace period: a hanging store must not keep a server running. */
async function closeDoors(routes: readonly HttpRoutes[], grace: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), grace);
  const closing = routes.map(async (door) => {
    try {
      await door.close?.();
    } catch (thrown) {
      report(`Closing ${door.path}`, thrown);
    }
  });
  const which = await Promise.race([Promise.all(closing), late]);
  clearTimeout(timer);
  if (which === 'late') report('Closing', new Error(`a connection was still open after ${grace} ms`));
}

interface Entrance {
  readonly routes: readonly HttpRoutes[];
  readonly admission: Admission;
  readonly most: number;
}

function appOf({ routes, admission, most }: Entrance): Hono {
  const app = new Hono();
  app.onError((error, call) => answer(call, refusalFor(error)));
  app.notFound((call) => answer(call, { status: 404, error: `Not found: ${call.req.path.slice(0, 200)}.` }));
  // The health check is public, so supervisors of a fleet can use it.
  app.get('/health', async (call) => {
    const health = await healthOf(routes);
    return call.json(health, statusCodeOf(health));
  });
  app.use(async (call, next) => {
    const path = call.req.path;
    const { incoming } = call.env as HttpBindings;
    const checked = admission.check(incoming as IncomingMessage, needsOf(doorOf(routes, path), path, call.req.method));
    if ('error' in checked) return answer(call, checked);
    call.set('caller' as never, checked as never);
    await next();
    admission.note(incoming as IncomingMessage, checked.id, call.res.status, call.get('audited' as never) as string | undefined);
    return undefined;
  });
  const tooLarge = (call: HonoCall) => answer(call, { status: 413, error: `A request may have ${most} bytes; this one has more.` });
  const counted = bodyLimit({ maxSize: most, onError: tooLarge }) as (call: HonoCall, next: Next) => Promise<Response | undefined>;
  app.use(async (call, next) => {
    // A declared length is trusted, as usual in HTTP. Without one, the body is counted through a web stream.
    if (call.req.header('transfer-encoding') !== undefined) return counted(call, next);
    return Number(call.req.header('content-length') ?? 0) > most ? tooLarge(call) : next();
  });
  for (const door of routes) app.route(door.path, door.app);
  return app;
}

/** The caller of a request, for routes that depend on it. */
export function callerOf(call: HonoCall): Caller {
  return call.get('caller' as never) as Caller;
}

/** Names the called operation for the audit log, if the path doesn't show it. Never contains secrets. */
export function audit(call: HonoCall, what: string): void {
  call.set('audited' as never, what.slice(0, 120) as never);
}

async function healthOf(routes: readonly HttpRoutes[]): Promise<Health> {
  const healths = await Promise.all(
    routes.map(async (door): Promise<Health> => {
      try {
        return (await door.health?.()) ?? { status: 'healthy' };
      } catch (thrown) {
        return { status: 'unhealthy', reason: sentenceOf(thrown) };
      }
    }),
  );
  return worstOf(healths);
}

function needsOf(door: HttpRoutes | null, path: string, method: string): Needs {
  const usual: readonly AccessScope[] = method === 'GET' || method === 'HEAD' ? ['read'] : ['play'];
  if (door === null) return { needs: usual, guarded: false };
  return { needs: door.needs === undefined ? usual : door.needs(below(door, path), method), guarded: door.guarded === true };
}

function doorOf(routes: readonly HttpRoutes[], path: string): HttpRoutes | null {
  return routes.find((door) => door.path === '/' || path === door.path || path.startsWith(`${door.path}/`)) ?? null;
}

/** The rest of a path, below the mount. */
function below({ path: door }: HttpRoutes, path: string): string {
  return door === '/' ? path : path.slice(door.length) || '/';
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

function upgrade(
  { routes, admission, sockets }: Omit<Entrance, 'most'> & { readonly sockets: WebSocketServer },
  { request, socket, head }: Arrival,
): void {
  // A client that disconnects early is not a server failure.
  socket.on('error', () => socket.destroy());
  const path = pathOf(request.url);
  const door = doorOf(routes, path);
  const checkedCaller = admission.check(request, needsOf(door, path, 'SOCKET'));
  if ('error' in checkedCaller) {
    hangUp(socket, checkedCaller);
    return;
  }
  const now: CallerNow = () => admission.recheck(request, needsOf(door, path, 'SOCKET'));
  const openSocket = door?.socket?.(below(door, path), checkedCaller, now) ?? null;
  admission.note(request, checkedCaller.id, openSocket === null ? 404 : 101);
  if (openSocket === null) {
    hangUp(socket, { status: 404, error: `No WebSocket at ${path.slice(0, 200)}.` });
    return;
  }
  sockets.handleUpgrade(
    request,
    socket,
    head,
    safely(
      'A WebSocket',
      (opened) => {
        // A failure of the other side closes only this socket.
        opened.on('error', () => opened.terminate());
        openSocket(opened, socket);
      },
      (_, opened) => opened.terminate(),
    ),
  );
}

const reasons: Readonly<Record<number, string>> = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 429: 'Too Many Requests' };

function hangUp(socket: Duplex, { status, error }: Answer): void {
  const body = JSON.stringify({ error });
  socket.end(
    `HTTP/1.1 ${status} ${reasons[status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

interface Answer {
  readonly status: number;
  readonly error: string;
  readonly wait?: number;
}

function answer(call: HonoCall, { status, error, wait }: Answer | Denial): Response {
  if (status === 401) call.header('www-authenticate', 'Bearer');
  if (wait !== undefined) call.header('retry-after', String(wait));
  return call.json({ error }, status as ContentfulStatusCode);
}

/** A fault in the request is the caller's; other failures are internal, and their details are not sent. */
function refusalFor(error: unknown): Answer {
  if (error instanceof NotFound) return { status: 404, error: error.message };
  if (isFault(error)) return { status: error.boundary === 'input' ? 400 : 502, error: error.message };
  if (error instanceof SyntaxError) return { status: 400, error: `The body must be JSON, but is not: ${sentenceOf(error)}.` };
  report('A request', error);
  return { status: 500, error: 'Something went wrong on the server. See its output.' };
}

/** Thrown by a route if the named object does not exist. */
export class NotFound extends Fault {
  constructor(message: string) {
    super('input', message);
  }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Once the server listens, this never rejects: failures are reported, and the server continues.
    let listens = false;
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (listens) report('The server', error);
      const busy = error.code === 'EADDRINUSE' ? 'it is taken already; name another with --port' : sentenceOf(error);
      reject(new Fault('server', `Port ${port} of ${host} cannot be opened: ${busy}.`));
    });
    server.listen(port, host, () => {
      listens = true;
      resolve();
    });
  });
}
