/** @file The long fuzz: `LUDUS_FUZZ` says how many of each kind, `LUDUS_SEED` where to begin; 20,000 from 1,000,000 unless set otherwise. */

import { closeTestServers, startTestServer, type TestServer } from '@ludus-agents/servers/internal/server.cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuzzFrames, fuzzOpening, fuzzStream } from './fuzz.cases.ts';
import { stillServes } from './server.cases.ts';
import { fuzzSpec, specs } from './specs.cases.ts';
import { type HostileProxy, hostileProxy, stillRelays } from './upstream.cases.ts';

const count = Number(process.env['LUDUS_FUZZ'] ?? 20_000);
const first = Number(process.env['LUDUS_SEED'] ?? 1_000_000);
const hours = 4 * 3_600_000;

let house: TestServer;
let proxy: HostileProxy;
beforeAll(async () => {
  [house, proxy] = await Promise.all([startTestServer(), hostileProxy()]);
});
afterAll(async () => {
  await closeTestServers();
  await proxy.close();
});

describe(`a fuzz of ${count} seeds from ${first}`, () => {
  const each = async (attack: (seed: number) => Promise<unknown>, lives: () => Promise<void>) => {
    for (let seed = first; seed < first + count; seed++) {
      await attack(seed);
      if (seed % 500 === 0) await lives();
    }
    await lives();
  };

  it(
    'survives WebSocket handshakes',
    () =>
      each(
        (seed) => fuzzOpening(house, seed),
        () => stillServes(house.url),
      ),
    hours,
  );
  it(
    'survives WebSocket frames',
    () =>
      each(
        (seed) => fuzzFrames(house, seed),
        () => stillServes(house.url),
      ),
    hours,
  );
  it.each(Object.keys(specs))(
    'survives %s files',
    (kind) =>
      each(
        (seed) => fuzzSpec(kind, seed),
        async () => {},
      ),
    hours,
  );
  it(
    'survives upstream streams',
    () =>
      each(
        async (seed) => {
          const { text } = await fuzzStream(proxy, seed);
          expect([seed, /\[DONE\]|upstream_/.test(text)]).toEqual([seed, true]);
        },
        () => stillRelays(proxy),
      ),
    hours,
  );
});
