/** @file What attacks on servers share: raw bytes to a port, frames made by hand, and the question whether the server still does its work. */

import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { WebSocket } from 'ws';

/** Sends bytes and gives all that comes back until the connection ends. `cut` breaks it off as soon as they are sent. */
export function raw(url: string, bytes: string | Buffer, cut = false): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket: Socket = connect(Number(port), hostname, () => {
      socket.write(bytes, () => {
        if (cut) socket.destroy();
      });
    });
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    // What the server refuses it may also reset.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(text));
  });
}

/** The head of a WebSocket's opening. */
export function opening(path: string, headers: Readonly<Record<string, string>>): string {
  const all = {
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

export function hostOf(url: string): string {
  return new URL(url).host;
}

export interface FrameOptions {
  readonly opcode?: number;
  readonly final?: boolean;
  readonly masked?: boolean;
  /** The length that the header claims, where it lies. */
  readonly claims?: number;
}

/** One WebSocket frame as a client sends it. */
export function frame(payload: Buffer, { opcode = 1, final = true, masked = true, claims = payload.length }: FrameOptions = {}): Buffer {
  const mask = Buffer.from([1, 2, 3, 4]);
  const header = Buffer.alloc(claims < 126 ? 2 : claims < 65_536 ? 4 : 10);
  header[0] = (final ? 0x80 : 0) | opcode;
  header[1] = (masked ? 0x80 : 0) | (claims < 126 ? claims : claims < 65_536 ? 126 : 127);
  if (header.length === 4) header.writeUInt16BE(claims, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(claims), 2);
  const body = masked ? Buffer.from(payload.map((byte, i) => byte ^ mask[i % 4]!)) : payload;
  return Buffer.concat([header, ...(masked ? [mask] : []), body]);
}

export interface WireOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** This many messages are enough: then the socket is closed from here. */
  readonly enough?: number;
}

/** What a socket says to bytes on its wire until it closes: texts, then the code of the end. */
export function overWire(
  url: string,
  bytes: readonly Buffer[],
  { headers = {}, enough = Infinity }: WireOptions = {},
): Promise<(string | number)[]> {
  return new Promise((resolve, reject) => {
    const statements: (string | number)[] = [];
    const socket = new WebSocket(url, { headers });
    socket.on('open', () => {
      const wire = (socket as unknown as { _socket: Socket })._socket;
      for (const byte of bytes) wire.write(byte);
    });
    socket.on('message', (data) => {
      if (statements.push(data.toString()) >= enough) socket.close();
    });
    socket.on('error', (error) => (socket.readyState === WebSocket.CONNECTING ? reject(error) : undefined));
    socket.on('close', (code) => resolve([...statements, code]));
  });
}

/** The end of a socket from the side of a client. */
export const farewell = frame(Buffer.from([0x03, 0xe8]), { opcode: 8 });

/** The frame that lets an OpenEnv session end. */
export const goodbye = frame(Buffer.from('{"type":"close"}'));

/** The server lives, says so, and plays a game over its own socket. */
export async function stillServes(url: string): Promise<void> {
  const health = await fetch(`${url}/health`);
  expect([health.status, await health.json()]).toEqual([200, { status: 'healthy' }]);
  const reset = frame(Buffer.from('{"type":"reset","data":{"seed":1}}'));
  const statements = await overWire(`${url.replace('http', 'ws')}/openenv/tic-tac-toe/ws`, [reset, goodbye]);
  expect(statements[0]).toContain('You are X');
}

/** Warnings of the process while something is done: a server reports what it catches, and must not say secrets there. */
export async function warningsDuring(work: () => Promise<void>): Promise<string> {
  const messages: string[] = [];
  const listen = (warning: Error) => messages.push(warning.message);
  process.on('warning', listen);
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('warning', listen);
  }
  return messages.join('\n');
}
