/** @file One HTTP request of the proxy, and its answer as a stream or as a text of bounded size. */

import type { Readable } from 'node:stream';
import { beginRequest, type Sending } from '@ludus-agents/agents/internal/models/begin-request';

/** An answer that has begun. */
export interface Answered {
  readonly status: number;
  header(name: string): string | null;
  readonly body: Readable;
  text(): Promise<string>;
}

export async function exchange(url: string, sending: Sending): Promise<Answered> {
  const { status, headers, body } = await beginRequest(url, sending);
  return { status, header: (name) => headers[name]?.toString() ?? null, body, text: () => textOf(body) };
}

/** Bytes that a whole answer may have. */
const mostBytes = 2 ** 26;

async function textOf(body: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // A reader that leaves before the end closes the socket.
  for await (const piece of body) {
    bytes += (piece as Buffer).length;
    if (bytes > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`);
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString('utf8');
}
