/** @file Everything goes wrong that can, once: nothing is lost, nothing is played twice, nothing is left behind. */

import { startServer } from '@ludus-agents/store/internal/postgres/server.cases';
import { afterAll, expect, it } from 'vitest';
import { chaos } from './fixtures/chaos.ts';

const server = await startServer();
if (typeof server === 'string') console.warn(server);
afterAll(async () => {
  if (typeof server !== 'string') await server.stop();
});

it.skipIf(typeof server === 'string')(
  '[F10] completes every planned episode once within budget despite kills, freezes, and restarts',
  async () => {
    if (typeof server === 'string') return;
    const report = await chaos({ server, schema: 'chaos', seed: 10, goesOn: (deeds) => deeds < 8, workers: 3, budget: 36, wave: 24 });
    console.log(JSON.stringify(report));
    expect(report.problems).toEqual([]);
    expect(Object.keys(report.deeds)).toHaveLength(8);
    expect(report.overspent).toBeLessThanOrEqual(0);
    expect(report.planned).toBeGreaterThanOrEqual(96);
  },
);
