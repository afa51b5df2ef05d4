/** @file A plan played by workers that share a store, and its episodes written as a dataset for a trainer. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvironment, readPlan } from 'ludus-agents';
import { createAgentServices, fleetView, openSharedStore, runByWorkers, Trust, Worker, writeDataset } from 'ludus-agents/servers';

const folder = mkdtempSync(join(tmpdir(), 'ludus-workers-'));
// A file for workers of one machine; postgres://… for workers of many.
const sharedStore = await openSharedStore(join(folder, 'shared.sqlite'));
const plan = readPlan({ name: 'shared', environments: ['tic-tac-toe'], seeds: 20, casts: [{ X: 'scripted:minimax', O: 'random' }] });

const stop = new AbortController();
const services = createAgentServices(folder, Trust.job);
const worker = new Worker({ sharedStore, environment: loadEnvironment, services, concurrency: 8 });
const working = worker.run(stop.signal);
const report = await runByWorkers(plan, { sharedStore, environment: loadEnvironment, pool: null });
console.log(`played ${report.played} of ${report.planned}; workers: ${(await fleetView(sharedStore)).workers.length}`);
stop.abort();
await working;

const { files, episodes } = await writeDataset(
  {
    ...{ store: sharedStore.store, format: 'trl-sft', filter: { seats: ['X'] }, split: { evalShare: 0.2, seed: 1 } },
    ...{ preference: { score: 'return' }, at: new Date(), version: '1.0.0' },
  },
  join(folder, 'dataset'),
);
console.log(
  `${episodes} episodes in ${files.map(({ split, rows }) => `${rows} rows to ${split === 'eval' ? 'evaluate' : 'train'}`).join(', ')}; beside them ${readdirSync(join(folder, 'dataset')).join(', ')}`,
);
await sharedStore.close();
rmSync(folder, { recursive: true });
