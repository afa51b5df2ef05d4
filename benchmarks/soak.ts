/**
 * @file Memory under load: 1,000 OpenEnv sessions (`--sessions=`) that play for `--minutes=1`, every episode kept in a file, and as many visitors of the
 * studio, each of whom plays an episode and looks at lists. Every sixteenth of the time (at most a minute) it prints resident memory and the
 * heap after a collection. The slope is of the second half, in bytes a message with a 95% interval: the first half warms up. `--only=openenv` or `--only=studio`
 * measures one of them; `--snapshots=FOLDER` writes heap snapshots in the middle and at the end.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { tQuantile } from '@ludus-agents/evaluation/internal/scoring/statistics/distributions';
import { WebSocket } from 'ws';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const usualSessions = 1000;

interface Served {
  readonly url: URL;
  readonly process: ChildProcess;
}

interface Sample {
  readonly minutes: number;
  readonly messages: number;
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

interface Size {
  readonly minutes: number;
  readonly sessions: number;
  readonly snapshots: string | null;
}

interface Load {
  messages: number;
  failed: number;
  stop: boolean;
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  // A smoke run shows that both servers start, play and report, in a few seconds.
  const minutes = sizeOf(flags, 'minutes', 1, 0.02);
  const sessions = sizeOf(flags, 'sessions', usualSessions, 20);
  const snapshots = typeof flags['snapshots'] === 'string' ? resolve(flags['snapshots']) : null;
  if (snapshots !== null) mkdirSync(snapshots, { recursive: true });
  const parts = { openenv: soakOpenEnv, studio: soakStudio };
  const figures: Figure[] = [];
  for (const [name, soak] of Object.entries(parts)) {
    if (flags['only'] !== undefined && flags['only'] !== name) continue;
    const folder = mkdtempSync(join(tmpdir(), 'ludus-soak-'));
    try {
      figures.push(...(await soak(folder, { minutes, sessions, snapshots })));
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  return figures;
}

async function soakOpenEnv(folder: string, size: Size): Promise<readonly Figure[]> {
  const server = await start([join(import.meta.dirname, '_openenv.ts'), join(folder, 'store.sqlite')], folder);
  const url = `${server.url.href.replace('http', 'ws')}openenv/tic-tac-toe/ws`;
  return watch('openenv', server, size, (load) => Array.from({ length: size.sessions }, (_, i) => openEnvSession(url, i * 100_000, load)));
}

async function soakStudio(folder: string, size: Size): Promise<readonly Figure[]> {
  const program = join(import.meta.dirname, '..', 'test', 'fixtures', 'ludus.ts');
  const server = await start([program, 'studio', '--no-open', '--json', '--port', '0'], folder);
  const token = server.url.searchParams.get('token') ?? '';
  let visitor = 0;
  const next = () => visitor++ % size.sessions;
  // As many requests under way as a browser or two would have: the visitors take turns.
  return watch('studio', server, size, (load) =>
    Array.from({ length: Math.min(32, size.sessions) }, () => studioVisits(server.url.origin, token, next, load)),
  );
}

/** A server in its process, which reports its memory. It prints an address, or JSON with one, in its first line. */
async function start(program: readonly string[], cwd: string): Promise<Served> {
  const probe = join(import.meta.dirname, '_soak-probe.ts');
  const child = spawn(process.execPath, ['--expose-gc', '--import', probe, ...program], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', NODE_NO_WARNINGS: '1' },
  });
  const first = await new Promise<string>((done, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) done(text.trim());
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { url: new URL(first.startsWith('{') ? (JSON.parse(first) as { url: string }).url : first), process: child };
}

/** Loads a server, samples its memory, and ends it. */
async function watch(
  name: string,
  { process: server }: Served,
  { minutes, sessions, snapshots }: Size,
  begin: (load: Load) => readonly Promise<void>[],
): Promise<readonly Figure[]> {
  const load: Load = { messages: 0, failed: 0, stop: false };
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 60_000;
  const players = begin(load);
  const samples: Sample[] = [];
  const every = Math.min(1, minutes / 16);
  try {
    let isHalf = false;
    while (elapsed() < minutes) {
      await pause(every * 60_000);
      if (snapshots !== null && !isHalf && elapsed() >= minutes / 2) {
        isHalf = true;
        await ask(server, `snapshot ${join(snapshots, `${name}-middle.heapsnapshot`)}`);
      }
      const { rss, heapUsed, external } = await ask(server, 'memory');
      samples.push({ minutes: elapsed(), messages: load.messages, rss, heapUsed, external });
      process.stdout.write(
        `${name} ${elapsed().toFixed(1)} min  ${load.messages} messages  RSS ${megabytes(rss)} MB  heap ${megabytes(heapUsed)} MB  outside the heap ${megabytes(external)} MB\n`,
      );
    }
    if (snapshots !== null) await ask(server, `snapshot ${join(snapshots, `${name}-end.heapsnapshot`)}`);
  } finally {
    load.stop = true;
    await Promise.race([Promise.allSettled(players), pause(10_000, undefined, { ref: false })]);
    server.kill();
  }
  const late = samples.slice(Math.floor(samples.length / 2));
  const last = samples[samples.length - 1];
  return [
    { name: `${name}.messages`, value: last.messages, unit: 'messages', note: `${sessions} sessions, ${load.failed} failed` },
    { name: `${name}.rss_mb`, value: megabytes(last.rss), unit: 'MB' },
    { name: `${name}.heap_mb`, value: megabytes(last.heapUsed), unit: 'MB', note: 'after a collection' },
    { name: `${name}.rss_bytes_per_message`, ...slope(late, ({ rss }) => rss), unit: 'bytes' },
    { name: `${name}.heap_bytes_per_message`, ...slope(late, ({ heapUsed }) => heapUsed), unit: 'bytes', goal: '≤ 50' },
  ];
}

const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

function ask(server: ChildProcess, message: string): Promise<NodeJS.MemoryUsage> {
  return new Promise((done) => {
    server.once('message', (usage) => done(usage as NodeJS.MemoryUsage));
    server.send(message);
  });
}

/** Least squares over the second half, with a 95% interval where there are samples enough for one. */
function slope(samples: readonly Sample[], of: (sample: Sample) => number): Pick<Figure, 'value' | 'note'> {
  const n = samples.length;
  if (n < 2) return { value: null, note: 'too few samples' };
  const meanX = samples.reduce((sum, { messages }) => sum + messages, 0) / n;
  const meanY = samples.reduce((sum, sample) => sum + of(sample), 0) / n;
  const over = samples.reduce((sum, sample) => sum + (sample.messages - meanX) * (of(sample) - meanY), 0);
  const spread = samples.reduce((sum, { messages }) => sum + (messages - meanX) ** 2, 0);
  const value = over / spread;
  if (n < 3) return { value, note: 'second half' };
  const rest = samples.reduce((sum, sample) => sum + (of(sample) - meanY - value * (sample.messages - meanX)) ** 2, 0);
  const half = tQuantile(0.975, n - 2) * Math.sqrt(rest / (n - 2) / spread);
  return { value, note: `second half, 95% ${Math.round(value - half)} to ${Math.round(value + half)}` };
}

function openEnvSession(url: string, firstSeed: number, load: Load): Promise<void> {
  return new Promise((done) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    let seed = firstSeed;
    const reset = () => socket.send(`{"type":"reset","data":{"seed":${seed++}}}`);
    socket.on('open', reset);
    socket.on('error', () => load.failed++);
    socket.on('close', () => done());
    socket.on('message', (data) => {
      const text = data.toString();
      load.messages++;
      if (load.stop || !text.startsWith('{"type":"observation"')) {
        if (!load.stop) load.failed++;
        socket.send('{"type":"close"}');
        return;
      }
      if (text.endsWith('"done":true}}')) return reset();
      const from = text.indexOf('"choices":');
      const choices = text.slice(from, text.indexOf('"]', from)).match(/\[\d\]/g) as string[];
      socket.send(`{"type":"step","data":{"message":"${choices[load.messages % choices.length]}"}}`);
    });
  });
}

/** Visitors of the studio in turns: an episode, the list of episodes, the list of runs. */
async function studioVisits(origin: string, token: string, next: () => number, load: Load): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = async (path: string, body?: object) => {
    const answer = await fetch(`${origin}${path}`, { headers, ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }) });
    await answer.text();
    load.messages++;
    if (!answer.ok) load.failed++;
  };
  while (!load.stop) {
    const seed = next() + 1000 * Math.floor(load.messages / usualSessions);
    try {
      await call('/api/play', { environment: 'kuhn-poker', seed, cast: { first: 'random', second: 'random' } });
      await call('/api/runs/episodes');
      await call('/api/runs');
    } catch {
      if (!load.stop) load.failed++;
    }
  }
}
