/**
 * @file How fast the OpenEnv door is: tic-tac-toe against chance over 64 WebSockets, every episode kept in a file; and beside it OpenEnv's
 * own server with the same game, in turns in one run, where LUDUS_OPENENV names a checkout and LUDUS_PYTHON a Python that can load it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { WebSocket } from 'ws';
import type { Figure, Flags } from './run.ts';

const sockets = 64;

/** A server in a process of its own, and where it is. */
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
  const seconds = Number(flags['seconds'] ?? 5);
  const rounds = Number(flags['rounds'] ?? 3);
  const folder = mkdtempSync(join(tmpdir(), 'ludus-doors-'));
  const ours = await ludus(folder);
  const theirs = await reference();
  try {
    const [own, other]: [Rate[], Rate[]] = [[], []];
    // A first round warms both up.
    for (let round = 0; round <= rounds; round++) {
      const rates = [await rate(ours, seconds), 'url' in theirs ? await rate(theirs, seconds) : null] as const;
      if (round === 0) continue;
      own.push(rates[0]);
      if (rates[1] !== null) other.push(rates[1]);
    }
    return figures(best(own), 'url' in theirs ? best(other) : theirs.missing);
  } finally {
    ours.process.kill();
    if ('url' in theirs) theirs.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function figures(own: Rate, other: Rate | string): Figure[] {
  const missing = typeof other === 'string' ? { note: other } : {};
  const ratio = typeof other === 'string' ? null : own.wall / other.wall;
  const perCpu = typeof other === 'string' || own.cpu === null || other.cpu === null ? null : own.cpu / other.cpu;
  return [
    { name: 'openenv.ws_steps_per_s', value: own.wall, unit: 'steps', goal: '≥ 3,000', note: `${sockets} sockets, kept in a file` },
    { name: 'openenv.ws_steps_per_cpu_s', value: own.cpu, unit: 'steps', goal: '≥ 3,000', note: 'by the seconds the server computed' },
    { name: 'openenv.python_steps_per_s', value: typeof other === 'string' ? null : other.wall, unit: 'steps', ...missing },
    { name: 'openenv.python_ratio', value: ratio, unit: '×', goal: '≥ 5', ...missing },
    { name: 'openenv.python_ratio_cpu', value: perCpu, unit: '×', goal: '≥ 5', ...missing },
  ];
}

function best(rates: readonly Rate[]): Rate {
  return rates.reduce((a, b) => (b.wall > a.wall ? b : a));
}

async function ludus(folder: string): Promise<Served> {
  const main = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts');
  const words = ['serve', 'openenv', '--port', '0', '--json', '--store', join(folder, 'store.sqlite')];
  const start = `import(${JSON.stringify(main)}).then(({ main }) => main(${JSON.stringify(words)}))`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', start], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve));
  const { url } = JSON.parse(line.toString()) as { url: string };
  return { url: `${url.replace('http', 'ws')}/openenv/tic-tac-toe/ws`, process: child };
}

async function reference(): Promise<Served | { readonly missing: string }> {
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
        // Whoever measures must not be slower than what is measured: the frame is not parsed, the moves are found in it.
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
