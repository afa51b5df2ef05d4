/** @file One HTTP request of the proxy, and its response as a stream or as a text of limited size. */

import type { Readable } from 'node:stream';
import { beginRequest, type Sending } from '@ludus-agents/agents/internal/models/begin-request';

/** A response that has started. */
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

/** The maximum size of a complete response in bytes. */
const mostBytes = 2 ** 26;

async function textOf(body: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // A reader that leaves early closes the socket.
  for await (const piece of body) {
    bytes += (piece as Buffer).length;
    if (bytes > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`);
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString('utf8');
}
