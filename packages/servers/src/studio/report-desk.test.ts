/** @file Reports are made in their own thread: who serves the page has nothing to compute. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore, openStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { makeReport, ReportDesk } from './report-desk.ts';

it('creates a report in another thread, once for concurrent requests, with the same result', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-reports-'));
  const where = join(cwd, 'kept.sqlite');
  const store = await openStore(where);
  const plan = {
    name: 'few',
    environments: [{ environment: 'kuhn-poker', tasks: [{}] }],
    seeds: { from: 0, count: 4 },
    casts: [{ '*': 'random' }],
  };
  const { signal } = new AbortController();
  const played = { environment: (id: string) => builtInEnvironment(id), agent: createAgentLoader({}), signal };
  await run(plan, { store, ...played });
  const id = (await store.runs())[0]!.id;
  const question = { run: id, asked: {} };
  let threads = 0;
  const count = () => threads++;
  process.on('worker', count);
  const desk = new ReportDesk({ store, where, cwd });
  const [item, other] = await Promise.all([desk.report(question), desk.report(question)]);
  expect([threads, item === other]).toEqual([1, true]);
  expect(item).toEqual(JSON.parse(JSON.stringify((await makeReport(question, { store, cwd })).shown)));
  // An answer is reused for a while, but not after a job has changed what is stored.
  expect(await desk.report(question)).toBe(item);
  desk.forget();
  expect(await desk.report(question)).not.toBe(item);
  await desk.close();
  // What is in the memory of this process can be read nowhere else, and is computed here.
  const retainedStore = memoryStore();
  await run(plan, { store: retainedStore, ...played });
  expect((await new ReportDesk({ store: retainedStore, where: null, cwd }).report(question)).episodes).toBe(item.episodes);
  expect(threads).toBe(1);
  process.off('worker', count);
  await store.close();
  rmSync(cwd, { recursive: true, force: true });
});
