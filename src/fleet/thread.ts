/** @file The beginning of a worker in a thread; crew.ts starts it. */

import { parentPort, workerData } from 'node:worker_threads';
import { handsIn } from '../company/hands.ts';
import { closeTools } from '../company/tools.ts';
import { worldOf } from '../company/worlds.ts';
import { openPremises } from '../store/index.ts';
import { useConfig } from '../workspace/config.ts';
import type { ThreadOptions } from './crew.ts';
import { paceIn } from './pace.ts';
import { scoreWork } from './scoring.ts';
import { rolloutWork } from './training.ts';
import { Worker } from './worker.ts';

const { where, cwd, concurrency, lease } = workerData as ThreadOptions;
await useConfig(cwd);
const stop = new AbortController();
parentPort?.once('message', () => stop.abort());
const premises = await openPremises(where);
const worker = new Worker({
  premises,
  environment: (name) => worldOf(name, cwd, 'folder'),
  hands: handsIn(cwd, 'folder'),
  concurrency,
  grace: 0,
  pace: paceIn(process.env),
  other: { rollout: rolloutWork(premises.store), score: scoreWork(premises.store, cwd) },
  ...(lease !== undefined && { lease }),
});
await worker.run(stop.signal);
await premises.close();
await closeTools();
parentPort?.close();
