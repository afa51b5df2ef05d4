/**
 * @file The process of Python in WebAssembly: reads one job from its input, runs it in MicroPython on its own thread, reports the result,
 * and exits. The thread that runs code cannot be interrupted, so the other one measures its time and ends the process.
 */

import { readFileSync, writeSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { SandboxEnd, SandboxJob } from './job.ts';
import { MicroPython, PythonEnd } from './micropython.ts';
import { microPythonRunner } from './micropython-runner.ts';

type Ended = Pick<SandboxEnd, 'kind' | 'text' | 'files'> & { readonly bytes: number };
type FromThread =
  | { readonly type: 'started' }
  | { readonly type: 'print'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly text: string }
  | ({ readonly type: 'end' } & Ended);
type FromParent =
  | ({ readonly type: 'job' } & SandboxJob)
  | { readonly type: 'answer'; readonly id: number; readonly ok: boolean; readonly text: string };
type Given = { readonly job: SandboxJob; readonly shared: SharedArrayBuffer };

/** The buffer for tool answers: a flag, a length, and the text. */
const answerBytes = 4 * 2 ** 20;

if (isMainThread) listen();
else runThread(workerData as Given);

function listen(): void {
  const shared = new SharedArrayBuffer(8 + answerBytes);
  let waiting = '';
  process.stdin.setEncoding('utf8').on('data', (piece: string) => {
    waiting += piece;
    for (let at = waiting.indexOf('\n'); at >= 0; at = waiting.indexOf('\n')) {
      const message = JSON.parse(waiting.slice(0, at)) as FromParent;
      waiting = waiting.slice(at + 1);
      if (message.type === 'job') supervise(message, shared);
      else answerThread(shared, message.ok, message.text);
    }
  });
  // If the parent has exited, the result is not needed.
  process.stdin.on('end', () => process.exit(0));
}

function supervise(job: SandboxJob, shared: SharedArrayBuffer): void {
  const { limits } = job;
  let [printed, calls, began, cpu] = ['', 0, 0, process.cpuUsage()];
  const finish = ({ kind, text, files, bytes }: Ended): never => {
    const { user, system } = process.cpuUsage(cpu);
    const used = { milliseconds: Math.round(performance.now() - began), cpuMilliseconds: Math.round((user + system) / 1000), bytes };
    write({ type: 'end', kind, text, printed: printed.slice(0, limits.characters), files, used });
    process.exit(0);
  };
  const failed = (kind: Ended['kind'], text = '') => finish({ kind, text, files: {}, bytes: 0 });
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { job, shared } satisfies Given,
    resourceLimits: { stackSizeMb: 4, maxOldGenerationSizeMb: 96 },
  });
  worker.on('message', (message: FromThread) => {
    if (message.type === 'started') {
      write({ type: 'started' });
      [began, cpu] = [performance.now(), process.cpuUsage()];
      setInterval(() => {
        const { user, system } = process.cpuUsage(cpu);
        if ((user + system) / 1000 > limits.milliseconds || performance.now() - began > limits.wallMilliseconds) failed('time');
      }, 20);
    } else if (message.type === 'print') printed += message.text;
    else if (message.type === 'end') finish(message);
    else if (++calls > limits.calls) failed('calls');
    else if (message.text.length > limits.characters)
      failed('output', `The arguments of a call are longer than ${limits.characters} characters.`);
    else write({ type: 'call', id: calls, name: message.name.slice(0, 200), text: message.text });
  });
  // The thread is out of memory, or its stack is full.
  worker.on('error', (thrown) => failed(/memory/i.test(String(thrown)) ? 'memory' : 'engine', String(thrown).slice(0, 200)));
}

function answerThread(shared: SharedArrayBuffer, ok: boolean, text: string): void {
  const bytes = Buffer.from(JSON.stringify({ ok, text }));
  const fits = bytes.length <= answerBytes ? bytes : Buffer.from(JSON.stringify({ ok: false, text: '"The answer is too long."' }));
  new Uint8Array(shared, 8).set(fits);
  const signs = new Int32Array(shared, 0, 2);
  signs[1] = fits.length;
  Atomics.store(signs, 0, 1);
  Atomics.notify(signs, 0);
}

function runThread({ job, shared }: Given): void {
  const say = (message: FromThread) => parentPort?.postMessage(message);
  const { limits, files, seed, clock, entry, tests, input, tools } = job;
  let [printed, ended]: [number, string | null] = [0, null];
  const signs = new Int32Array(shared, 0, 2);
  const python = new MicroPython(
    readFileSync(new URL(import.meta.resolve('@micropython/micropython-webassembly-pyscript/micropython.wasm'))),
    {
      ...{ files, seed, clock, megabytes: limits.megabytes, fileCharacters: limits.fileCharacters },
      channels: {
        job: JSON.stringify({ entry, tests, input, tools }),
        end: (text) => {
          ended ??= text;
        },
        call(line) {
          const { name, text } = JSON.parse(line) as { name: string; text: string };
          Atomics.store(signs, 0, 0);
          say({ type: 'call', name: String(name), text: String(text) });
          Atomics.wait(signs, 0, 0);
          return Buffer.from(new Uint8Array(shared, 8).slice(0, signs[1])).toString();
        },
      },
      print(text) {
        if (printed > limits.characters) return;
        printed += text.length;
        say({ type: 'print', text });
        if (printed > limits.characters) throw new PythonEnd('output', '');
      },
    },
  );
  say({ type: 'started' });
  const { kind, text } = outcome(python, () => ended);
  say({ type: 'end', kind, text, files: kind === 'done' || kind === 'threw' ? python.written() : {}, bytes: python.bytes });
}

function outcome(python: MicroPython, end: () => string | null): Pick<Ended, 'kind' | 'text'> {
  try {
    const raised = python.run(microPythonRunner);
    const text = end();
    if (text !== null) return JSON.parse(text) as Pick<Ended, 'kind' | 'text'>;
    if (raised?.type === 'MemoryError') return { kind: 'memory', text: '' };
    return { kind: 'threw', text: (raised?.text ?? '').trim().slice(-500) };
  } catch (thrown) {
    if (thrown instanceof PythonEnd) return { kind: thrown.kind, text: thrown.message };
    if (thrown instanceof RangeError) return { kind: 'stack', text: '' };
    return { kind: 'engine', text: String(thrown).slice(0, 200) };
  }
}

/** Writes synchronously, because the process exits afterward. Waits for a slow parent. */
function write(message: object): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(1);
    }
  }
}
