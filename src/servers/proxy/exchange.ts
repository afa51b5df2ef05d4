/** @file One HTTP request over a kept connection: what `fetch` does, at a third of its cost, which the proxy pays with every call. */

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';

export interface Sending {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** An answer that has begun. Redirects are answers, too: a key goes to the address it was given for and nowhere else. */
export interface Answered {
  readonly status: number;
  header(name: string): string | null;
  readonly body: Readable;
  text(): Promise<string>;
}

const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) } as const;

export async function exchange(url: string, sending: Sending): Promise<Answered> {
  const response = await beginRequest(url, sending, true);
  return {
    status: response.statusCode as number,
    header: (name) => response.headers[name]?.toString() ?? null,
    body: response,
    text: () => textOf(response),
  };
}

/** Bytes that a whole answer may have. */
const mostBytes = 2 ** 26;

async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    bytes += (piece as Buffer).length;
    if (bytes > mostBytes) {
      response.destroy();
      throw new Error(`the answer has more than ${mostBytes} bytes`);
    }
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function beginRequest(url: string, sending: Sending, again: boolean): Promise<IncomingMessage> {
  const { method, headers, body, signal } = sending;
  const secure = url.startsWith('https:');
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options = { method, headers: { ...headers, ...length }, signal, agent: agents[secure ? 'https:' : 'http:'] };
  return new Promise((resolve, reject) => {
    let settled = false;
    const asked = (secure ? httpsRequest : httpRequest)(url, options, (response) => {
      settled = true;
      resolve(response);
    });
    asked.on('error', (error: NodeJS.ErrnoException) => {
      // Once the answer has begun, its body shows how it ended; a retry then would pay twice.
      if (settled) return;
      settled = true;
      // A kept connection may just have been closed by the other end; then the request was not read.
      if (again && asked.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted) resolve(beginRequest(url, sending, false));
      else reject(signal.aborted ? signal.reason : error);
    });
    asked.end(body);
  });
}
