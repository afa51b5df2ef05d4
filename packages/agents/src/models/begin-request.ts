/**
 * @file One HTTP request up to the beginning of its reply, by node:http, which takes a third to a half of the processor time of fetch. Two
 * features of fetch are implemented here: compressed replies are decompressed, and redirects are followed within the same server. A
 * redirect to another server is returned as a reply, because a key must only reach its own server.
 */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { reserveAnotherAttempt } from '@ludus-agents/kernel/internal/core/budget-scope';

export interface Sending {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** A reply that has begun. */
export interface Begun {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its body, decompressed. */
  readonly body: Readable;
}

/** The most redirects followed. */
const mostHops = 5;

export async function beginRequest(url: string, sending: Sending): Promise<Begun> {
  for (let [at, hops] = [url, 0]; ; hops++) {
    const response = await send(at, sending);
    const { statusCode: status = 0, headers } = response;
    const next = nextStop(at, status, sending.method, headers.location);
    if (next === undefined || hops === mostHops) return { status, headers, body: unpackedBody(response) };
    response.resume();
    at = next;
  }
}

/** The target of a redirect, if it is followed: on the same server, with the same request. */
function nextStop(at: string, status: number, method: string, location: string | undefined): string | undefined {
  if (location === undefined) return undefined;
  const keepsRequest = status === 307 || status === 308 || (method === 'GET' && (status === 301 || status === 302 || status === 303));
  const next = keepsRequest ? URL.parse(location, at) : null;
  return next?.origin === new URL(at).origin ? next.href : undefined;
}

/** A reused socket was reset before a reply began. */
class SocketReset extends Error {
  readonly wasIdle: boolean;

  constructor(wasIdle: boolean) {
    super('The socket was reset.');
    this.wasIdle = wasIdle;
  }
}

/** The time at which the last reply on each reused socket ended. */
const lastReply = new WeakMap<object, number>();
/** No server closes an idle socket sooner than this after a reply. */
const shortestKeepAlive = 1000;

/** Sockets are kept open for the next request, like all sockets of this process. */
async function send(url: string, sending: Sending): Promise<IncomingMessage> {
  try {
    return await request(url, sending, true);
  } catch (thrown) {
    if (!(thrown instanceof SocketReset)) throw thrown;
    // An idle socket was closed before the server read the request. Otherwise the server has read it, so there are two requests.
    if (!thrown.wasIdle) await reserveAnotherAttempt();
    return request(url, sending, false);
  }
}

function request(url: string, sending: Sending, mayRepeat: boolean): Promise<IncomingMessage> {
  const { method, headers, body, signal } = sending;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const isSecure = url.slice(0, 6).toLowerCase() === 'https:';
    let hasBegun = false;
    let wasIdle = false;
    // Importing node:http reads all its exports, some of which load fetch: a quarter of a command's startup time.
    const http = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
    const clientRequest = http.request(url, { method, headers: { ...headers, ...length }, signal }, (response) => {
      hasBegun = true;
      const { socket } = response;
      response.once('end', () => lastReply.set(socket, performance.now()));
      resolve(response);
    });
    clientRequest.on('socket', (socket) => {
      wasIdle = performance.now() - (lastReply.get(socket) ?? 0) >= shortestKeepAlive;
    });
    clientRequest.on('error', (error: NodeJS.ErrnoException) => {
      // From here on the body reports how the reply ends; repeating the request would cost twice.
      if (hasBegun) return;
      const isReset = mayRepeat && clientRequest.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted;
      reject(isReset ? new SocketReset(wasIdle) : signal.aborted ? signal.reason : error);
    });
    clientRequest.end(body);
  });
}

const unpackers: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
/** The most nested compressions of a reply. */
const mostPackings = 3;

/** Compression is not requested, but servers and proxies may compress anyway. */
function unpackedBody(response: IncomingMessage): Readable {
  const { 'content-encoding': packing = '', 'content-length': length } = response.headers;
  const isEmpty = length === '0' || response.statusCode === 204;
  const packings = isEmpty ? [] : packing.toLowerCase().split(',');
  if (packings.length > mostPackings) {
    response.destroy();
    throw new Error(`its answer is compressed ${packings.length} times, but at most ${mostPackings} are supported`);
  }
  let body: Readable = response;
  for (const item of packings.map((word) => word.trim()).reverse()) {
    if (item === '' || item === 'identity') continue;
    const unpack = unpackers.get(item);
    if (unpack === undefined) {
      response.destroy();
      throw new Error(`its answer is compressed with "${item.slice(0, 30)}", but only gzip, deflate, and br are supported`);
    }
    // A failure of the socket reaches the reader of the last stream, and a reader that stops closes the socket.
    body = pipeline(body, unpack(), () => {});
  }
  return body;
}
