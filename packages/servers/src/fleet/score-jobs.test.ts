import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { scoreRun } from '@ludus-agents/evaluation/internal/score-run';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore, openSharedStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, expect, it } from 'vitest';
import { enqueueScoring, scoreWork } from './score-jobs.ts';
import { Worker } from './worker.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

const directory = mkdtempSync(join(tmpdir(), 'ludus-scoring-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('[F7] workers score the same as one process, once per request', async () => {
  const plan = readPlan({ name: 'judged', environments: ['kuhn-poker', 'tic-tac-toe'], seeds: 60 });
  const alone = memoryStore();
  const sharedStore = await openSharedStore(join(directory, 'scores.db'));
  for (const store of [alone, sharedStore.store])
    await run(plan, { store, environment: builtInEnvironment, agent: createAgentLoader(agentServices) });
  await scoreRun({ trust: Trust.commandLine, store: alone, run: 'judged', suite: null, sceneOf: () => null });
  for (let time = 0; time < 2; time++) {
    expect(await enqueueScoring(sharedStore, 'judged')).toBe(120);
    const other = { score: scoreWork(sharedStore.store, directory) };
    await new Worker({
      sharedStore,
      environment: builtInEnvironment,
      services: agentServices,
      concurrency: 2,
      untilEmpty: true,
      other,
    }).run(new AbortController().signal);
    expect(await sharedStore.jobs.standing('judged')).toMatchObject({ done: 3, waiting: 0, dead: 0, outcomes: { done: 3 } });
  }
  for (const id of (await alone.statuses('judged')).keys()) {
    expect((await alone.scores(id)).length).toBeGreaterThan(0);
    expect(await sharedStore.store.scores(id)).toEqual(await alone.scores(id));
  }
  await sharedStore.close();
});
