/** @file Scores that were paid for are in the store before all are: stopping a judge loses little. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, ludus } from '../cli/terminal.cases.ts';
import type { Score } from '../core/index.ts';
import type { Judge } from '../scoring/judges/index.ts';
import { openStore } from '../store/index.ts';
import { Trust } from '../workspace/trust.ts';
import { scoreRun } from './score-run.ts';

it('keeps the verdicts that came before a judge was stopped', async () => {
  const cwd = folder();
  const plan = { name: 'many', environments: ['kuhn-poker'], seeds: 40, casts: [{ '*': 'random' }] };
  expect((await ludus(cwd, ['run', '-', '--json'], { typed: JSON.stringify(plan) })).code).toBe(0);
  const store = await openStore(join(cwd, '.ludus', 'ludus.sqlite'));
  const controller = new AbortController();
  const seen = new Set<string>();
  const judge = {
    ...{ name: 'judge/x', tier: 'judge', hash: 'h' },
    score: async ({ episodes, seat }: { episodes: readonly { id: string }[]; seat: string }): Promise<readonly Score[]> => {
      seen.add(episodes[0]!.id);
      if (seen.size === 38) controller.abort();
      const cost = { calls: 1, promptTokens: 0, completionTokens: 0, money: null };
      return [{ name: 'judge/x', value: 1, status: 'ok', seat, evidence: [], cost }];
    },
  } as unknown as Judge;
  const scoring = { store, run: 'many', suite: null, sceneOf: () => null, scorers: ['form'], judges: [judge] };
  expect(await scoreRun({ trust: Trust.commandLine, ...scoring, options: { signal: controller.signal } })).toMatchObject({
    scored: 32,
    stopped: true,
  });
  const ids = (await store.episodes({ run: 'many', limit: 100 })).map(({ id }) => id);
  const judged = await Promise.all(ids.map(async (id) => (await store.scores(id)).some(({ name }) => name === 'judge/x')));
  expect(judged.filter(Boolean).length).toBe(32);
  await store.close();
});
