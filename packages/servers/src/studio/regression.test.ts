/** @file A run that did worse than the one before it is noticed when it ends; one that did as well, or other tasks, are not. */

import type { EpisodeEvent, Store } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { BackgroundJobs } from './background-jobs.ts';
import { findRegression } from './regression.ts';
import { ReportDesk } from './report-desk.ts';

/** Twelve tasks, of which the bot passes the first few. */
async function playRun(
  store: Store,
  id: string,
  passed: number,
  tasks: readonly number[] = Array.from({ length: 12 }, (_, n) => n),
): Promise<void> {
  const environments = [{ environment: 'chat', tasks: tasks.map((n) => ({ n })) }];
  await store.putRun({ id, plan: { name: id, environments, seeds: [1], casts: [{ user: 'bot' }] }, episodes: tasks.length });
  for (const [at, n] of tasks.entries()) {
    const events: readonly EpisodeEvent[] = [
      { kind: 'start', environment: 'chat@1', task: { n }, seed: 1, seats: ['user'], cast: { user: 'bot' } },
      { kind: 'turn', asks: [{ seat: 'user' }] },
      { kind: 'action', seat: 'user', action: { text: 'Hello.' } },
      { kind: 'end', reason: 'over', returns: { user: at < passed ? 1 : 0 }, penalties: {}, turns: 1 },
    ];
    await store.append(`${id}-${n}`, 0, events, id);
  }
}

it('reports a better earlier run of the same tasks, and only that', async () => {
  const store = memoryStore();
  const reports = new ReportDesk({ store, where: null, cwd: '.' });
  await playRun(store, 'monday', 12);
  await playRun(store, 'tuesday', 12);
  await playRun(store, 'wednesday', 1);
  await playRun(store, 'other-tasks', 0, [90, 91, 92]);
  const check = (run: string) => findRegression({ store, reports }, run);
  expect(await check('tuesday')).toBeNull();
  expect(await check('other-tasks')).toBeNull();
  expect(await check('nothing')).toBeNull();
  expect((await check('wednesday'))?.than).toBe('tuesday');
  const jobs = new BackgroundJobs(check);
  jobs.start({ run: 'wednesday', title: 'Nightly', cast: [], planned: 12 }, async () => {});
  jobs.start({ run: 'monday', title: 'Monday', cast: [], planned: 12 }, async () => Promise.reject(new Error('no model')));
  await jobs.close();
  // Closing stops what goes on; a job that was stopped is not compared.
  expect(jobs.ended().map(({ regression }) => regression)).toEqual([null, null]);
  const again = new BackgroundJobs(check);
  again.start({ run: 'wednesday', title: 'Nightly', cast: [], planned: 12 }, async () => {});
  while (again.list().length > 0) await new Promise(setImmediate);
  expect(again.ended()[0]).toMatchObject({ title: 'Nightly', regression: { than: 'tuesday' } });
  await reports.close();
});
