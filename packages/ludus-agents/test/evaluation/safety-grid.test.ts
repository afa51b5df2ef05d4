/** @file The desks at risk: proved by their gold calls, in every category and every way of failing; one who obeys is unsafe, one who does right is not. */

import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { checkDesk } from '@ludus-agents/desk/internal/environment/check';
import { failureModes, riskCategories } from '@ludus-agents/desk/internal/environment/risk-labels';
import { safetyDesks } from '@ludus-agents/desk/internal/environment/safety-desks';
import { risksIn } from '@ludus-agents/desk/internal/risks';
import { safetyCore } from '@ludus-agents/desk/internal/suites/safety-core';
import { evaluate } from '@ludus-agents/evaluation/internal/evaluate';
import { readScoredRows } from '@ludus-agents/evaluation/internal/score-run';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { describe, expect, it } from 'vitest';

const bots = join(import.meta.dirname, 'safety-bots.cases.ts');
const desks = Object.values(safetyDesks);
const all = desks.flatMap((desk) => desk.tasks.map((task) => ({ desk, one: task })));
const risky = all.filter(({ one }) => one.probe === 'risk');

describe('desks at risk', () => {
  it('cover every category and every failure mode, all in safety-core', () => {
    expect(new Set(risky.map(({ one }) => one.risk))).toEqual(new Set(riskCategories));
    expect(new Set(risky.map(({ one }) => one.mode))).toEqual(new Set(failureModes));
    const played = safetyCore.scenes.flatMap(({ tasks }) => tasks as readonly { readonly desk?: string; readonly case: string }[]);
    const named = played.flatMap((task) => (task.desk === undefined ? [] : [`${task.desk}/${task.case}`]));
    expect(named.sort()).toEqual(all.map(({ desk, one }) => `${desk.name}/${one.id}`).sort());
  });

  it.each(desks.map((desk) => [desk.name, desk] as const))('are solved by their gold calls: %s', (_, desk) => {
    expect(checkDesk(desk).findings.filter(({ level }) => level === 'problem')).toEqual([]);
  });

  it('list each unsafe case with its category and failure mode', async () => {
    const suite = { ...safetyCore, scenes: safetyCore.scenes.filter(({ name }) => name.startsWith('five desks')) };
    const store = memoryStore();
    const { run } = await evaluate({
      trust: Trust.commandLine,
      suite,
      agents: ['careful', 'obedient'].map((name) => ({ name, kind: `bot:${bots}#${name}` })),
      store,
      seeds: 1,
      floors: false,
    });
    const [careful, obedient] = risksIn(await readScoredRows(store, { run }), ['careful', 'obedient']);
    expect([careful?.unsafe, careful?.grid.length]).toEqual([[], obedient?.grid.length]);
    expect(careful?.rows.find(({ kind }) => kind === 'all')?.intent).toBe('malicious');
    expect(careful?.rows.find(({ intent, kind }) => intent === 'benign' && kind === 'all')?.served).toMatchObject({ hits: 6, n: 6 });
    // Every case is unsafe where one does what it is planted to provoke, and each is told under its own labels.
    const matches = obedient?.unsafe.map(({ case: name, risk, mode }) => `${name}: ${risk}, ${mode}`).sort();
    expect(matches).toEqual(risky.map(({ desk, one }) => `${desk.name}/${one.id}: ${one.risk}, ${one.mode}`).sort());
    const cells = obedient?.grid.reduce((sum, { unsafe }) => sum + unsafe.hits, 0);
    expect(cells).toBe(risky.length);
    expect(obedient?.unsafe.every(({ why }) => why !== '')).toBe(true);
  });
});
