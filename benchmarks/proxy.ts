/**
 * @file What the recording door costs: time added to a call, and memory after many streamed ones.
 *
 * Model, proxy and caller are three processes. The caller asks the model directly and through the proxy in turns, so that both meet the same
 * machine. The memory is that of the proxy after its garbage was collected, early on and at the end.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

interface Told {
  readonly url: string;
  readonly root: string;
  readonly rss: number;
  readonly heapUsed: number;
  /** Milliseconds of processor time so far. */
  readonly cpu: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const calls = sizeOf(flags, 'calls', 50_000, 200);
  const folder = mkdtempSync(join(tmpdir(), 'ludus-proxy-'));
  const model = start(['server']);
  const { url: direct } = await messageFrom(model);
  const proxy = start(['proxy', direct, join(folder, 'store.sqlite')]);
  const { url: through, root } = await messageFrom(proxy);
  try {
    const figures: Figure[] = [];
    for (const streamed of [false, true]) {
      const [bare, added] = await latencies(direct, through, {
        streamed,
        pairs: sizeOf(flags, 'pairs', 2000, 5),
        warm: sizeOf(flags, 'warm', 200, 2),
      });
      const name = streamed ? 'proxy.stream' : 'proxy.call';
      const note = `directly p50 ${at(bare, 0.5).toFixed(2)}, p95 ${at(bare, 0.95).toFixed(2)} ms`;
      figures.push({ name: `${name}_overhead_p50_ms`, value: at(added, 0.5) - at(bare, 0.5), unit: 'ms', note });
      figures.push({ name: `${name}_overhead_p95_ms`, value: at(added, 0.95) - at(bare, 0.95), unit: 'ms', goal: '≤ 2' });
    }
    return [...figures, ...(await memory(proxy, root, calls))];
  } finally {
    for (const child of [proxy, model]) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(args: readonly string[]): ChildProcess {
  return fork(join(import.meta.dirname, '_proxy.ts'), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

function messageFrom(child: ChildProcess): Promise<Told> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Told));
    child.once('exit', () => reject(new Error('A process of the benchmark has ended.')));
  });
}

/** Milliseconds of calls made directly and through the proxy, sorted. */
async function latencies(
  direct: string,
  through: string,
  { streamed, pairs, warm }: { streamed: boolean; pairs: number; warm: number },
): Promise<readonly [readonly number[], readonly number[]]> {
  const bare: number[] = [];
  const added: number[] = [];
  for (let i = -warm; i < pairs; i++) {
    const [a, b] = [await timeRequest(direct, streamed, `one ${i}`), await timeRequest(through, streamed, `one ${i}`)];
    if (i < 0) continue;
    bare.push(a);
    added.push(b);
  }
  const sorted = (list: number[]) => list.sort((a, b) => a - b);
  return [sorted(bare), sorted(added)];
}

async function timeRequest(base: string, stream: boolean, content: string): Promise<number> {
  const began = performance.now();
  await ask(`${base}/chat/completions`, { model: 'm', stream, messages: [{ role: 'user', content }] });
  return performance.now() - began;
}

/** Streams many calls, twenty an episode, 32 at once. */
async function memory(proxy: ChildProcess, root: string, calls: number): Promise<readonly Figure[]> {
  const each = 20;
  const episodes = Math.ceil(calls / each);
  const early = Math.min(episodes, Math.max(Math.min(50, Math.ceil(episodes / 2)), Math.floor(episodes / 10)));
  let next = 0;
  const work = async (until: number) => {
    for (let episode = next++; episode < until; episode = next++) {
      const path = `${root}/r/bench/e/${episode}`;
      for (let i = 0; i < each; i++)
        await ask(`${path}/s/a/v1/chat/completions`, { model: 'm', stream: true, messages: [{ role: 'user', content: `line ${i}` }] });
      await ask(`${path}/end`, { rewards: { a: 1 } });
    }
    next--;
  };
  const began = performance.now();
  const upTo = async (until: number) => {
    next = Math.max(0, next);
    await Promise.all(Array.from({ length: 32 }, () => work(until)));
    next = until;
    proxy.send('memory');
    return messageFrom(proxy);
  };
  const first = await upTo(early);
  const half = await upTo(Math.max(early, Math.floor(episodes / 2)));
  const last = await upTo(episodes);
  const seconds = (performance.now() - began) / 1000;
  const madeCount = episodes * each;
  const megabytes = (bytes: number) => bytes / 2 ** 20;
  const later = (episodes - early) * each;
  return [
    {
      name: 'proxy.stream_cpu_ms',
      value: (last.cpu - first.cpu) / later,
      unit: 'ms a call',
      note: 'processor time of the proxy, with recording',
    },
    { name: 'proxy.streamed_calls_per_s', value: madeCount / seconds, unit: 'calls', note: `${madeCount} calls, 32 at once` },
    {
      name: 'proxy.heap_growth_mb',
      value: megabytes(last.heapUsed - first.heapUsed),
      unit: 'MB',
      goal: '≤ 5 (flat)',
      note: `from ${megabytes(first.heapUsed).toFixed(1)} MB after ${early * each} calls`,
    },
    {
      name: 'proxy.rss_mb',
      value: megabytes(last.rss),
      unit: 'MB',
      note: `${megabytes(first.rss).toFixed(0)} MB after a tenth of the calls, ${megabytes(half.rss).toFixed(0)} MB after half of them`,
    },
  ];
}

/** Posts JSON and reads the answer to its end. */
function ask(url: string, body: object): Promise<void> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const clientRequest = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } },
      (response) => {
        response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${url} answered ${response.statusCode}`))));
        response.on('error', reject);
        response.resume();
      },
    );
    clientRequest.on('error', reject);
    clientRequest.end(text);
  });
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
