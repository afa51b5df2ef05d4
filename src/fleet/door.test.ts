import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { hands } from '../company/hands.ts';
import { readPlan } from '../engine/plan.ts';
import { environment } from '../environments/index.ts';
import { openPremises } from '../store/index.ts';
import { openDoor } from './door.ts';
import { offerPlan } from './offer.ts';
import { fleetView } from './view.ts';
import { Worker } from './worker.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-door-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('[J9] a worker tells whether it is well, and what it does, on this machine only', async () => {
  const premises = await openPremises(join(directory, 'door.db'));
  await offerPlan(readPlan({ name: 'door', environments: ['kuhn-poker'], seeds: 5 }), { premises, environment });
  const worker = new Worker({ premises, environment, hands, concurrency: 2, untilEmpty: true });
  const door = await openDoor({ worker, premises, port: 0 });
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
  const names = text.split('\n').flatMap((line) => (/^[a-z]/.test(line) ? [line.split(' ')[0] as string] : []));
  for (const name of names) expect(text).toMatch(new RegExp(`# HELP ${name} .+\\n# TYPE ${name} (gauge|counter)\\n${name} `));
  expect((await ask('/elsewhere')).status).toBe(404);
  expect((await ask('/health', 'POST')).status).toBe(405);
  const view = await fleetView(premises);
  expect(view).toMatchObject({ waiting: 0, leased: 0, dead: 0, unserved: [], workers: [{ state: 'gone', finished: 5, lost: false }] });
  expect(view.runs[0]).toMatchObject({ run: 'door', done: 5, eta: null, stopped: null });
  expect(view.runs[0]?.perSecond).toBeCloseTo(5 / 60);
  door.close();
  await premises.close();
});
