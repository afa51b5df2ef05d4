/** @file Two versions of a bot at one desk: which cases changed, with both conversations next to each other. */

import './kinds.ts';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { caseSuite } from '@ludus-agents/evaluation/internal/cases/case-suite';
import { evaluateRun } from '@ludus-agents/evaluation/internal/evaluate';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { expect, it } from 'vitest';
import { suiteOfDesk } from './desks.ts';
import { readDesk } from './environment/document.ts';
import { type CaseChange, diffRuns, runDiffPage, runDiffSummary, sideBySide } from './run-diff.ts';

const desk = readDesk({
  name: 'club',
  policy: '- The club opens at 9.\n- A day pass is 12.',
  tasks: [
    { id: 'open', says: [{ ask: 'When do you open?', tell: [9] }] },
    { id: 'pass', says: [{ ask: 'What does a day pass cost?', tell: [12] }] },
  ],
});

it('a run diff lists broken and fixed cases without floor agents, with both conversations', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-run-diff-'));
  writeFileSync(
    join(cwd, 'bots.mjs'),
    `export const old = (m) => (/open/.test(m) ? 'We open at 9.' : 'A day pass is 15 <b>!');
export const recent = (m) => (/open/.test(m) ? 'We open at 10.' : 'A day pass is 12.');`,
  );
  const store = memoryStore();
  const suite = suiteOfDesk(desk);
  for (const bot of ['old', 'recent'])
    await evaluateRun({
      trust: Trust.commandLine,
      suite,
      agents: [{ name: bot, kind: `bot:${cwd}/bots.mjs#${bot}` }],
      store,
      seeds: 1,
      run: bot,
    });
  const diff = await diffRuns(store, 'old', 'recent');
  const changeOf = (name: string) => diff.changes.find((change) => change.case === name);
  expect(changeOf('open')).toMatchObject({ change: 'broken', before: { passed: true }, after: { passed: false } });
  expect(changeOf('pass')).toMatchObject({ change: 'fixed' });
  expect(changeOf('open')?.after.lines.find(({ by }) => by === 'agent')?.text).toBe('We open at 10.');
  expect(runDiffSummary(diff)).toContain('broken');
  const page = runDiffPage(diff);
  expect(page).toContain('A day pass is 15 &lt;b&gt;!');
  expect(page).not.toContain('15 <b>');
});

it('a run diff lists broken and fixed cases of a file, including by errors, and nothing for games', async () => {
  const store = memoryStore();
  const suite = caseSuite({
    cases: [
      { input: 'What is 2+2?', expected: '4' },
      { input: 'Capital of France?', expected: 'Paris' },
    ],
  });
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-run-diff-'));
  writeFileSync(
    join(cwd, 'bots.mjs'),
    `export const old = (q) => (/France/.test(q) ? 'Rome' : '4');
export const recent = (q) => { if (/France/.test(q)) return 'Paris'; throw new Error('out of numbers'); };`,
  );
  for (const bot of ['old', 'recent']) {
    const agents = [{ name: bot, kind: `bot:${cwd}/bots.mjs#${bot}` }];
    await evaluateRun({ trust: Trust.commandLine, suite, agents, store, seeds: 1, run: bot });
  }
  const { compared, changes } = await diffRuns(store, 'old', 'recent');
  expect(compared).toBe(2);
  expect(changes.map(({ case: name, change }) => [name, change])).toEqual([
    ['What is 2+2?', 'broken'],
    ['Capital of France?', 'fixed'],
  ]);
  expect(changes[0]?.after.reason).toContain('out of numbers');
  await store.append('game', 0, gameEvents, 'game');
  await expect(diffRuns(store, 'game', 'game')).rejects.toMatchObject({ boundary: 'input' });
});

const gameEvents: readonly EpisodeEvent[] = [
  { kind: 'start', environment: 'kuhn-poker@1', task: {}, seed: 1, seats: ['agent'], cast: { agent: 'ann' } },
  { kind: 'end', reason: 'over', returns: { agent: 1 }, penalties: {}, turns: 0 },
];

it('a run diff aligns equal lines despite an additional message', () => {
  const side = (...texts: string[]) => ({
    ...{ episode: '', passed: true, reason: '' },
    lines: texts.map((text, i) => ({ by: i % 2 === 0 ? ('customer' as const) : ('agent' as const), text })),
  });
  const change: CaseChange = {
    ...{ case: 'x', seed: 1, agent: 'bot', change: 'reworded' },
    before: side('Cancel it.', 'Done.', 'Thanks.'),
    after: side('Cancel it.', 'Which one?', 'B-1.', 'Done.', 'Thanks.'),
  };
  const pairs = sideBySide(change).map(([a, b]) => [a?.text, b?.text]);
  expect(pairs).toEqual([
    ['Cancel it.', 'Cancel it.'],
    [undefined, 'Which one?'],
    [undefined, 'B-1.'],
    ['Done.', 'Done.'],
    ['Thanks.', 'Thanks.'],
  ]);
});
