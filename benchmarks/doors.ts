/**
 * @file How fast the OpenEnv door is: tic-tac-toe against chance over 64 WebSockets, every episode kept in a file; and next to it OpenEnv's
 * own server with the same game, in turns in one run, where LUDUS_OPENENV names a checkout and LUDUS_PYTHON a Python that can load it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { WebSocket } from 'ws';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const sockets = 64;

/** A server in its own process, and where it is. */
interface Served {
  readonly url: string;
  readonly process: ChildProcess;
}

/** Steps a second by the clock, and by the seconds that the server computed; null where the system does not tell. */
interface Rate {
  readonly wall: number;
  readonly cpu: number | null;
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const seconds = sizeOf(flags, 'seconds', 5, 0.1);
  const rounds = sizeOf(flags, 'rounds', 3, 1);
  const folder = mkdtempSync(join(tmpdir(), 'ludus-doors-'));
  const reference = await official();
  const servers = [await ludus(join(folder, 'store.sqlite')), await ludus(), ...('url' in reference ? [reference] : [])];
  try {
    const rates = servers.map((): Rate[] => []);
    // All are measured in turns, so that they meet the same machine; a first round warms them up.
    for (let round = 0; round <= rounds; round++)
      for (const [i, server] of servers.entries()) {
        const measured = await rate(server, seconds);
        if (round > 0) rates[i]?.push(measured);
      }
    const [retainedRate, unkept, other] = rates.map(best);
    return figures(retainedRate as Rate, unkept as Rate, other ?? ('missing' in reference ? reference.missing : ''));
  } finally {
    for (const server of servers) server.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function figures(rate: Rate, unkept: Rate, other: Rate | string): Figure[] {
  const missing = typeof other === 'string' ? { note: other } : {};
  const against = ({ wall, cpu }: Rate) =>
    typeof other === 'string' ? [null, null] : [wall / other.wall, cpu === null || other.cpu === null ? null : cpu / other.cpu];
  const [ratio = null, cpuRatio = null] = against(unkept);
  const [keptRatio = null, keptCpuRatio = null] = against(rate);
  const alike = { note: 'neither keeps its episodes', ...missing };
  const computed = 'by the seconds the server computed';
  return [
    { name: 'openenv.ws_steps_per_s', value: rate.wall, unit: 'steps', goal: '≥ 3,000', note: `${sockets} sockets, kept in a file` },
    { name: 'openenv.ws_steps_per_cpu_s', value: rate.cpu, unit: 'steps', goal: '≥ 3,000', note: computed },
    { name: 'openenv.unkept_steps_per_s', value: unkept.wall, unit: 'steps' },
    { name: 'openenv.unkept_steps_per_cpu_s', value: unkept.cpu, unit: 'steps', note: computed },
    { name: 'openenv.python_steps_per_s', value: typeof other === 'string' ? null : other.wall, unit: 'steps', ...missing },
    { name: 'openenv.python_ratio', value: ratio, unit: '×', goal: '≥ 5', ...alike },
    { name: 'openenv.python_ratio_cpu', value: cpuRatio, unit: '×', ...alike },
    { name: 'openenv.python_ratio_kept', value: keptRatio, unit: '×', note: 'ours keeps its episodes in a file', ...missing },
    { name: 'openenv.python_ratio_kept_cpu', value: keptCpuRatio, unit: '×', ...missing },
  ];
}

function best(rates: readonly Rate[]): Rate {
  return rates.reduce((a, b) => (b.wall > a.wall ? b : a));
}

async function ludus(file?: string): Promise<Served> {
  const program = join(import.meta.dirname, '_openenv.ts');
  const child = spawn(process.execPath, file === undefined ? [program] : [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve));
  return { url: `${line.toString().trim().replace('http', 'ws')}/openenv/tic-tac-toe/ws`, process: child };
}

async function official(): Promise<Served | { readonly missing: string }> {
  const checkout = process.env['LUDUS_OPENENV'] ?? '';
  if (!existsSync(join(checkout, 'src', 'openenv'))) return { missing: 'LUDUS_OPENENV names no checkout of OpenEnv' };
  const port = await freePort();
  const env = { ...process.env, PYTHONPATH: [join(checkout, 'src'), process.env['PYTHONPATH'] ?? ''].join(delimiter) };
  const program = join(import.meta.dirname, '..', 'test', 'openenv', 'official_server.py');
  const child = spawn(process.env['LUDUS_PYTHON'] ?? '/usr/bin/python3', [program, `${port}`], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ready = await new Promise((resolve) => {
    child.stdout.once('data', () => resolve(true));
    child.once('exit', () => resolve(false));
  });
  return ready === true
    ? { url: `ws://127.0.0.1:${port}/tic-tac-toe/ws`, process: child }
    : { missing: 'the Python server could not be started' };
}

/** Plays on all sockets for a while. */
async function rate({ url, process: server }: Served, seconds: number): Promise<Rate> {
  const counter = { steps: 0, stop: false };
  const before = cpuSeconds(server.pid as number);
  const began = performance.now();
  setTimeout(() => {
    counter.stop = true;
  }, seconds * 1000);
  await Promise.all(Array.from({ length: sockets }, (_, i) => player(url, i * 100_000, counter)));
  const wall = (performance.now() - began) / 1000;
  const after = cpuSeconds(server.pid as number);
  return { wall: counter.steps / wall, cpu: before === null || after === null ? null : counter.steps / (after - before) };
}

function player(url: string, firstSeed: number, counter: { steps: number; stop: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    let seed = firstSeed;
    const reset = () => socket.send(`{"type":"reset","data":{"seed":${seed++}}}`);
    socket.on('open', reset);
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('message', (data) => {
      const text = data.toString();
      if (!text.startsWith('{"type":"observation"')) reject(new Error(text));
      else if (counter.stop) socket.send('{"type":"close"}');
      else if (text.endsWith('"done":true}}')) reset();
      else {
        // Anyone who measures must not be slower than what is measured: the frame is not parsed, the moves are found in it.
        const from = text.indexOf('"choices":');
        const choices = text.slice(from, text.indexOf('"]', from)).match(/\[\d\]/g) as string[];
        socket.send(`{"type":"step","data":{"message":"${choices[++counter.steps % choices.length]}"}}`);
      }
    });
  });
}

/** What a process has computed so far, where the system keeps count in hundredths of a second. */
function cpuSeconds(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
