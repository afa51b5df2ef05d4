/** @file The entry point of a worker in a thread; worker-pool.ts starts it. */

import '../kinds.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { useConfig } from '@ludus-agents/agents/internal/workspace/config';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { closeTools } from '@ludus-agents/agents/internal/workspace/open-tools';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { checkVersions } from '@ludus-agents/evaluation/internal/plan-versions';
import { openSharedStore } from '@ludus-agents/store/internal/open-store';
import { rolloutWork } from './rollout-jobs.ts';
import { scoreWork } from './score-jobs.ts';
import { Worker } from './worker.ts';
import type { ThreadOptions } from './worker-pool.ts';
import { paceIn } from './worker-pool.ts';

const { where, cwd, concurrency, lease } = workerData as ThreadOptions;
await useConfig(cwd);
const stop = new AbortController();
parentPort?.once('message', () => stop.abort());
const sharedStore = await openSharedStore(where);
const worker = new Worker({
  sharedStore,
  environment: (name) => resolveEnvironment(name, cwd, Trust.job),
  services: createAgentServices(cwd, Trust.job),
  checkVersions: (cast) => checkVersions(cast, { cwd, trust: Trust.job }),
  concurrency,
  grace: 0,
  pace: paceIn(process.env),
  other: { rollout: rolloutWork(sharedStore.store), score: scoreWork(sharedStore.store, cwd) },
  ...(lease !== undefined && { lease }),
});
await worker.run(stop.signal);
await sharedStore.close();
await closeTools();
parentPort?.close();
