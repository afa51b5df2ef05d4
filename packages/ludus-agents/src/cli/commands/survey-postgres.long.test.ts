/** @file A survey and a town over workers on PostgreSQL: equal to the byte to one process with a file. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { hash } from '@ludus-agents/kernel/internal/core/index';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { startServer } from '@ludus-agents/store/internal/postgres/server.cases';
import { afterAll, describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const server = await startServer();
if (typeof server === 'string') process.stderr.write(`Not tested on PostgreSQL: ${server}\n`);
afterAll(() => (typeof server === 'string' ? undefined : server.stop()));

/** Every log of a store by its episode. */
async function logsIn(place: string): Promise<Readonly<Record<string, string>>> {
  const store = await openStore(place);
  const logs: Record<string, string> = {};
  for (const { id } of await store.episodes()) logs[id] = hash((await store.events(id)) as unknown as Json);
  await store.close();
  return Object.fromEntries(Object.entries(logs).sort());
}

describe.skipIf(typeof server === 'string')('workers on PostgreSQL', () => {
  const here = folder();
  const address = () => (typeof server === 'string' ? '' : server.address('society'));
  writeFileSync(
    join(here, 'q.json'),
    JSON.stringify({
      name: 'panel',
      shuffle: true,
      items: [
        { id: 'a', kind: 'scale', text: 'A?', options: ['no', 'perhaps', 'yes'] },
        { id: 'b', kind: 'open', text: 'B?' },
      ],
      waves: [{ name: 'one' }, { name: 'two' }],
    }),
  );
  writeFileSync(
    join(here, 'towns.json'),
    JSON.stringify({
      environment: 'town',
      task: { people: 6, days: 2, hours: 2, hourly: true, reactions: true, interviews: true },
      arms: { full: {}, memoryless: { memory: false } },
      ...{ outcome: 'believable', number: 8 },
    }),
  );

  it('produce the same panel and town as one process, byte for byte', async () => {
    const both = async (words: readonly string[]) => {
      const alone = await ludus(here, [...words, '--store', 'alone.sqlite']);
      const shared = await ludus(here, [...words, '--store', address(), '--workers', '2']);
      expect([alone.code, shared.code, shared.err]).toEqual([0, 0, expect.any(String)]);
      return [alone, shared] as const;
    };
    const survey = ['survey', 'q.json', '--population', 'customers', '-n', '60', '--agent', 'fake', '--yes'];
    await ludus(here, [...survey, '-o', 'alone.csv', '--store', 'alone.sqlite']);
    await ludus(here, [...survey, '-o', 'shared.csv', '--store', address(), '--workers', '2']);
    expect(readFileSync(join(here, 'shared.csv'), 'utf8')).toBe(readFileSync(join(here, 'alone.csv'), 'utf8'));
    const [alone, shared] = await both(['survey', 'experiment', 'towns.json', '--agent', 'scripted:villager', '--yes', '--json']);
    expect(shared.out).toBe(alone.out);
    const logs = await logsIn(address());
    expect(Object.keys(logs)).toHaveLength(60 + 16);
    expect(logs).toEqual(await logsIn(join(here, 'alone.sqlite')));
  });
});
