/** @file Teams that an engine makes are teams that play: every member of a candidate is asked in its turn. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import type { Cost, Json } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, expect, it } from 'vitest';
import { improve } from '../prompts/improve.ts';
import { createImproveServices, improveRun } from './improve.ts';

const cwd = mkdtempSync(join(tmpdir(), 'ludus-teams-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

it('team engine creates teams whose members are all asked in turn', async () => {
  writeFileSync(join(cwd, 'lines.txt'), 'Check the cards.\nCount the chips.\nDoubt every bluff.\n');
  const scenes = [
    { name: 'poker', environment: 'kuhn-poker', seats: ['first'], others: { '*': 'scripted:bold' }, scale: [-2, 2] as const },
  ];
  const poker = suite({ name: 'poker', about: 'poker', nulls: ['random'], scenes });
  const agent = { name: 'player', kind: 'llm:fake', texts: { instruction: 'You play for chips.' } };
  const wish = { agent, suite: poker, engine: 'teams', proposer: './lines.txt', gate: 'ties', seed: 2, settings: { looks: 2 } };
  const run = await improveRun({ ...wish, calls: 40, counts: { propose: 3, select: 4, report: 2 } }, cwd, Trust.commandLine);
  const store = memoryStore();
  await store.putRun(run);
  const course = improve(run.work, await createImproveServices(store, run, { trust: Trust.commandLine, cwd }));
  for (let next = await course.next(); next.done !== true; ) next = await course.next();
  type Entry = { readonly kind: string; readonly id: string; readonly candidate: string; readonly status: string; readonly cost: Cost };
  const entries = async (journal: string) =>
    (await store.notes(run.id, journal)) as unknown as readonly (Entry & {
      readonly change?: { readonly set: Readonly<Record<string, Json>> };
    })[];
  const made = (await entries('candidates')).find(({ change }) => change?.set['setting/team'] !== undefined);
  const members = (JSON.parse(String(made?.change?.set['setting/team'])) as { readonly members: readonly string[] }).members;
  expect(members.length).toBeGreaterThan(1);
  const plays = (await entries('ledger')).filter(({ candidate }) => candidate === made?.id);
  expect(plays.length).toBeGreaterThan(0);
  for (const { status, cost } of plays) {
    expect(status).toBe('ok');
    // Each turn asks every member once.
    expect(cost.calls % members.length).toBe(0);
    expect(cost.calls).toBeGreaterThanOrEqual(members.length);
  }
});
