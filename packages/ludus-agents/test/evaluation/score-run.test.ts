/** @file Scores that were paid for are in the store before all are: stopping a judge loses little. */

import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { scoreRun } from '@ludus-agents/evaluation/internal/score-run';
import type { Judge } from '@ludus-agents/evaluation/internal/scoring/judges/index';
import type { Score } from '@ludus-agents/kernel/internal/core/index';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

it('scoring keeps the verdicts from before a judge was stopped', async () => {
  const cwd = folder();
  const plan = { name: 'many', environments: ['kuhn-poker'], seeds: 40, casts: [{ '*': 'random' }] };
  expect((await ludus(cwd, ['run', '-', '--json'], { typed: JSON.stringify(plan) })).code).toBe(0);
  const store = await openStore(join(cwd, '.ludus', 'ludus.sqlite'));
  const controller = new AbortController();
  const visited = new Set<string>();
  const judge = {
    ...{ name: 'judge/x', tier: 'judge', hash: 'h' },
    score: async ({ episodes, seat }: { episodes: readonly { id: string }[]; seat: string }): Promise<readonly Score[]> => {
      visited.add(episodes[0]!.id);
      if (visited.size === 38) controller.abort();
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
