/** @file The short fuzz over openings, frames, upstream streams and files that users write; fuzz.long.test.ts is the long one. */

import { closeTestServers, startTestServer, type TestServer } from '@ludus-agents/servers/internal/server.cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuzzFrames, fuzzOpening, fuzzStream } from './fuzz.cases.ts';
import { stillServes } from './server.cases.ts';
import { fuzzSpec, specs } from './specs.cases.ts';
import { type HostileProxy, hostileProxy, stillRelays } from './upstream.cases.ts';

let house: TestServer;
let proxy: HostileProxy;
beforeAll(async () => {
  [house, proxy] = await Promise.all([startTestServer(), hostileProxy()]);
});
afterAll(async () => {
  await closeTestServers();
  await proxy.close();
});

const seeds = (count: number) => Array.from({ length: count }, (_, seed) => seed);

describe('a short fuzz', () => {
  it('survives WebSocket handshakes', async () => {
    for (const seed of seeds(300)) await fuzzOpening(house, seed);
    await stillServes(house.url);
  });

  it('survives WebSocket frames', async () => {
    for (const seed of seeds(300)) await fuzzFrames(house, seed);
    await stillServes(house.url);
  });

  it('survives upstream streams', async () => {
    for (const seed of seeds(200)) {
      const { status, text } = await fuzzStream(proxy, seed);
      expect([seed, status]).toEqual([seed, status === 502 ? 502 : 200]);
      expect([seed, /\[DONE\]|upstream_/.test(text)]).toEqual([seed, true]);
    }
    await stillRelays(proxy);
  });

  it.each(Object.entries(specs))('reads or rejects %s files with an error message', async (kind, { sound, read }) => {
    await read(sound);
    let wasRead = 0;
    for (const seed of seeds(150)) if (await fuzzSpec(kind, seed)) wasRead++;
    // Both happen, or the changes were too few or too many.
    expect(wasRead).toBeGreaterThan(0);
    expect(wasRead).toBeLessThan(120);
  });
});
