import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { openSharedStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, expect, it } from 'vitest';
import { enqueuePlan } from './enqueue-plan.ts';
import { fleetView } from './fleet-status.ts';
import { openMonitoring } from './monitoring.ts';
import { Worker } from './worker.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

const directory = mkdtempSync(join(tmpdir(), 'ludus-door-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('[J9] a worker reports its health and metrics on this machine only', async () => {
  const sharedStore = await openSharedStore(join(directory, 'door.db'));
  await enqueuePlan(readPlan({ name: 'door', environments: ['kuhn-poker'], seeds: 5 }), { sharedStore, environment: builtInEnvironment });
  const worker = new Worker({ sharedStore, environment: builtInEnvironment, services: agentServices, concurrency: 2, untilEmpty: true });
  const door = await openMonitoring({ worker, sharedStore, port: 0 });
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${door.port}${path}`, { method });
    return { status: answer.status, text: await answer.text() };
  };
  expect((await ask('/metrics')).text).toMatch(/^ludus_queue_waiting 5$/m);
  await worker.run(new AbortController().signal);
  expect(await ask('/health')).toEqual({ status: 200, text: 'ok\n' });
  const { text } = await ask('/metrics');
  for (const line of ['ludus_worker_finished_total 5', 'ludus_worker_running 0', 'ludus_queue_waiting 0', 'ludus_queue_dead 0'])
    expect(text.split('\n')).toContain(line);
  // Every figure has its help and its type, as Prometheus wants it.
  const names = text.split('\n').flatMap((line) => (/^[a-z]/.test(line) ? [line.split(' ')[0]!] : []));
  for (const name of names) expect(text).toMatch(new RegExp(`# HELP ${name} .+\\n# TYPE ${name} (gauge|counter)\\n${name} `));
  expect((await ask('/elsewhere')).status).toBe(404);
  expect((await ask('/health', 'POST')).status).toBe(405);
  const view = await fleetView(sharedStore);
  expect(view).toMatchObject({ waiting: 0, leased: 0, dead: 0, unserved: [], workers: [{ state: 'gone', finished: 5, lost: false }] });
  expect(view.runs[0]).toMatchObject({ run: 'door', done: 5, eta: null, stopped: null });
  expect(view.runs[0]?.perSecond).toBeCloseTo(5 / 60);
  door.close();
  await sharedStore.close();
});
