/**
 * @file Whole episodes byte for byte: what OpenEnv's own client sent, and what our server answered, as it was recorded.
 *
 * UPDATE_GOLDEN=1 records the answers anew; a difference in them is a change of the wire.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { closeTestServers, startTestServer } from '../server.cases.ts';
import { frameOf } from './socket.ts';

const file = join(import.meta.dirname, 'exchanges.json');

/** One socket: each frame that was sent, with the frame that came back. */
interface Exchange {
  readonly about: string;
  readonly path: string;
  readonly frames: readonly (readonly [sent: string, received: string])[];
}

const exchanges = JSON.parse(readFileSync(file, 'utf8')) as Exchange[];

/** Ids of episodes are dice of the server, not of the game. */
function steady(frame: string): string {
  return frame
    .replace(/"episode":"[0-9a-f]{20}"/g, '"episode":"EPISODE"')
    .replace(/"episode_id":"[0-9a-f]{20}"/g, '"episode_id":"EPISODE"');
}

async function exchange(url: string, messages: readonly string[]): Promise<string[]> {
  const socket = new WebSocket(url);
  const received: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.on('error', reject);
  socket.on('open', () => socket.send(messages[0]!));
  socket.on('message', (data) => {
    received.push(steady(data.toString()));
    const next = messages[received.length];
    if (next === undefined) socket.close();
    else socket.send(next);
  });
  socket.on('close', () => resolve());
  await promise;
  return received;
}

describe('recorded exchanges', () => {
  afterEach(closeTestServers);

  it('are answered byte for byte', async () => {
    const { ws } = await startTestServer();
    const again: Exchange[] = [];
    for (const { about, path, frames } of exchanges) {
      const messages = frames.map(([frame]) => frame);
      const received = await exchange(`${ws}${path}`, messages);
      again.push({ about, path, frames: messages.map((frame, i) => [frame, received[i] ?? '']) });
    }
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, `${JSON.stringify(again, null, 1)}\n`);
    else expect(again).toEqual(exchanges);
    expect(again.every(({ frames }) => frames.every(([, received]) => received !== ''))).toBe(true);
  });

  it('include a whole episode of five environments and every kind of error', () => {
    const all = exchanges.flatMap(({ frames }) => frames.map(([, received]) => received)).join('\n');
    const finished = exchanges.filter(({ frames }) => frames.some(([, received]) => received.includes('"done":true')));
    expect(new Set(finished.map(({ path }) => path)).size).toBeGreaterThanOrEqual(5);
    for (const code of ['INVALID_JSON', 'UNKNOWN_TYPE', 'VALIDATION_ERROR', 'EXECUTION_ERROR']) expect(all).toContain(`"code":"${code}"`);
  });
});

describe('an unfragmented frame', () => {
  afterEach(closeTestServers);

  it('is read back with any length and any characters', async () => {
    const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000];
    const texts = [...lengths.map((length) => 'x'.repeat(length)), 'ä€😀'.repeat(20), '😀'.repeat(30_000)];
    const door = {
      path: '/frames',
      app: new Hono(),
      socket: () => (socket: WebSocket, wire: { write(frame: Buffer): unknown }) => {
        // The library's own frames may come between.
        for (const text of texts) {
          wire.write(frameOf(text));
          socket.send(`${text.length}`);
        }
      },
    };
    const { ws } = await startTestServer({ routes: () => [door] });
    const socket = new WebSocket(`${ws}/frames/ws`);
    const messages: string[] = [];
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (data) => messages.push(data.toString()) === 2 * texts.length && resolve());
    });
    socket.close();
    expect(messages).toEqual(texts.flatMap((text) => [text, `${text.length}`]));
  });
});
