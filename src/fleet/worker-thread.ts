/** @file The entry point of a worker in a thread; worker-pool.ts starts it. */

import '../workspace/all-kinds.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { openSharedStore } from '../store/index.ts';
import { createAgentServices } from '../workspace/agent-services.ts';
import { useConfig } from '../workspace/config.ts';
import { resolveEnvironment } from '../workspace/environments.ts';
import { closeTools } from '../workspace/open-tools.ts';
import { checkVersions } from '../workspace/plan-versions.ts';
import { Trust } from '../workspace/trust.ts';
import { paceIn } from './rate-limits.ts';
import { rolloutWork } from './rollout-jobs.ts';
import { scoreWork } from './score-jobs.ts';
import { Worker } from './worker.ts';
import type { ThreadOptions } from './worker-pool.ts';

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
