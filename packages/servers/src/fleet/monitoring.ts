/**
 * @file HTTP endpoints of a worker: /health for supervisors, /metrics in Prometheus' text format. They reveal no task names and no keys.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault, type QueueStatus, safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { SharedStore } from '@ludus-agents/store/internal/open-store';
import type { Worker } from './worker.ts';

export interface MonitorOptions {
  readonly worker: Worker;
  readonly sharedStore: SharedStore;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  readonly port: number;
}

/** A worker that has not reached its store for this long is unhealthy. */
const unwell = 60_000;

export async function openMonitoring({
  worker,
  sharedStore,
  host = '127.0.0.1',
  port,
}: MonitorOptions): Promise<{ readonly port: number; close(): void }> {
  const answerRequest = (request: IncomingMessage, response: ServerResponse) => {
    const say = (status: number, text: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
    };
    if (request.method !== 'GET') say(405, 'GET only\n');
    else if (request.url === '/health')
      say(worker.silent < unwell ? 200 : 503, worker.silent < unwell ? 'ok\n' : 'the store is out of reach\n');
    else if (request.url === '/metrics')
      metricsOf(worker, sharedStore).then(
        (text) => say(200, text, 'text/plain; version=0.0.4; charset=utf-8'),
        (thrown: unknown) => say(503, `${sentenceOf(thrown)}\n`),
      );
    else say(404, 'Not found. Use /health or /metrics.\n');
  };
  const server: Server = createServer(safely('A request', answerRequest, (_, __, response) => response.destroy()));
  await new Promise<void>((resolve, reject) => {
    server.on('error', (thrown) => reject(new Fault('server', `Port ${port} cannot be opened: ${sentenceOf(thrown)}.`)));
    server.listen(port, host, resolve);
  });
  server.unref();
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

async function metricsOf(worker: Worker, { jobs }: SharedStore): Promise<string> {
  const { running, finished, failed, concurrency } = worker.note;
  const spent = [...worker.spendings().values()];
  const sum = (what: 'calls' | 'tokens' | 'money') => spent.reduce((total, workerSpending) => total + workerSpending[what], 0);
  const overview = await jobs.overview();
  const queue = (state: keyof Pick<QueueStatus, 'waiting' | 'leased' | 'dead'>) => overview.reduce((total, run) => total + run[state], 0);
  const metrics: readonly (readonly [string, 'gauge' | 'counter', string, number])[] = [
    ['ludus_worker_concurrency', 'gauge', 'Episodes this worker may play at once', concurrency],
    ['ludus_worker_running', 'gauge', 'Episodes this worker plays', running],
    ['ludus_worker_finished_total', 'counter', 'Jobs this worker has finished', finished],
    ['ludus_worker_failed_total', 'counter', 'Jobs this worker failed', failed],
    ['ludus_worker_calls_total', 'counter', 'Model calls of this worker', sum('calls')],
    ['ludus_worker_tokens_total', 'counter', 'Tokens of its calls', sum('tokens')],
    ['ludus_worker_dollars_total', 'counter', 'Cost of its calls in dollars, if prices are known', sum('money')],
    ['ludus_queue_waiting', 'gauge', 'Jobs in the queue', queue('waiting')],
    ['ludus_queue_leased', 'gauge', 'Jobs leased by workers', queue('leased')],
    ['ludus_queue_dead', 'gauge', 'Jobs that failed for good', queue('dead')],
  ];
  return metrics.map(([name, kind, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${name} ${value}\n`).join('');
}
