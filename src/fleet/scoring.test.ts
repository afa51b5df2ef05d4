import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { agentsWith } from '../agents/index.ts';
import { hands } from '../company/hands.ts';
import { scoreRun } from '../company/scored.ts';
import { readPlan } from '../engine/plan.ts';
import { run } from '../engine/run.ts';
import { environment } from '../environments/index.ts';
import { memoryStore, openPremises } from '../store/index.ts';
import { offerScoring, scoreWork } from './scoring.ts';
import { Worker } from './worker.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-scoring-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('[F7] scores by workers as by one process, once, however often it is asked for', async () => {
  const plan = readPlan({ name: 'judged', environments: ['kuhn-poker', 'tic-tac-toe'], seeds: 60 });
  const alone = memoryStore();
  const premises = await openPremises(join(directory, 'scores.db'));
  for (const store of [alone, premises.store]) await run(plan, { store, environment, agent: agentsWith(hands) });
  await scoreRun({ store: alone, run: 'judged', suite: null, sceneOf: () => null });
  for (let time = 0; time < 2; time++) {
    expect(await offerScoring(premises, 'judged')).toBe(120);
    const other = { score: scoreWork(premises.store, directory) };
    await new Worker({ premises, environment, hands, concurrency: 2, untilEmpty: true, other }).run(new AbortController().signal);
    expect(await premises.jobs.standing('judged')).toMatchObject({ done: 3, waiting: 0, dead: 0, outcomes: { done: 3 } });
  }
  for (const id of (await alone.statuses('judged')).keys()) {
    expect((await alone.scores(id)).length).toBeGreaterThan(0);
    expect(await premises.store.scores(id)).toEqual(await alone.scores(id));
  }
  await premises.close();
});
