/** @file An improvement with the fake model as player and proposer, cut off and taken up by another process: the same archive and report. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import type { Store } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { improve } from '../prompts/improve.ts';
import type { LedgerEntry } from '../prompts/trial-ledger.ts';
import { createImproveServices, improveRun } from './improve.ts';

type Run = Awaited<ReturnType<typeof improveRun>>;

/** Takes a run up with models made again, as a new process does. */
async function finish(store: Store, run: Run) {
  const course = improve(run.work, await createImproveServices(store, run, { trust: Trust.commandLine, cwd: '.' }));
  for (let next = await course.next(); ; next = await course.next()) if (next.done === true) return next.value;
}

/** What a process that was killed there has left: so much of the ledger, and the episodes that it names. */
async function cutOff(whole: Store, run: Run, entries: readonly LedgerEntry[]): Promise<Store> {
  const store = memoryStore();
  await store.putRun(run);
  for (const entry of entries) {
    if (entry.kind !== 'play' || entry.episode === undefined) continue;
    await store.append(entry.episode, 0, await whole.events(entry.episode), run.id);
    await store.putScores(entry.episode, await whole.scores(entry.episode));
  }
  await store.note(run.id, 'ledger', 0, entries as never);
  return store;
}

it('interrupted improvement resumes to the same archive and report', async () => {
  const agent = { name: 'clerk', kind: 'llm:fake', texts: { instruction: 'You play for chips.' } };
  const scenes = [{ environment: 'kuhn-poker', seats: ['first'], others: { '*': 'scripted:bold' } }];
  const mine = suite({ name: 'mine', about: 'poker', nulls: ['random'], scenes });
  const counts = { propose: 3, select: 4, report: 4 };
  const run = await improveRun(
    { agent, suite: mine, engine: 'gepa', proposer: 'fake', calls: 30, seed: 1, counts },
    process.cwd(),
    Trust.commandLine,
  );
  const whole = memoryStore();
  await whole.putRun(run);
  const report = await finish(whole, run);
  const ledger = (await whole.notes(run.id, 'ledger')) as unknown as readonly LedgerEntry[];
  for (const part of [0.2, 0.5, 0.8]) {
    const store = await cutOff(whole, run, ledger.slice(0, Math.floor(ledger.length * part)));
    expect(await finish(store, run)).toEqual(report);
    expect(await store.notes(run.id, 'candidates')).toEqual(await whole.notes(run.id, 'candidates'));
  }
});
