/** @file Runs an engine in a separate process, exchanges messages line by line, and kills it when its time is over. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { parseBounded } from './bounded-json.ts';
import { endWith, readEnd, type SandboxEnd, type SandboxHost, type SandboxJob } from './job.ts';

export interface EngineProcess {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Input for its third channel, in addition to stdin, stdout, and stderr. */
  readonly third?: Buffer;
  /**
   * Every message of the engine must carry a key that it gets with the job; text that the code writes to the engine's channels lacks it.
   */
  readonly isKeyed?: boolean;
  /** Removes what killing the process leaves behind, such as a container. */
  readonly afterKill?: () => void;
}

/** Milliseconds allowed for an engine to start on a busy machine, and to reply after its own limit. */
const startTime = 60_000;
const grace = 500;

export function runProcess(
  { command, env, third, isKeyed = false, afterKill }: EngineProcess,
  job: SandboxJob,
  host: SandboxHost,
): Promise<SandboxEnd> {
  const [file, ...args] = command as [string, ...string[]];
  const running = spawn(file, args, {
    env: { TZ: 'UTC', ...env },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore', third === undefined ? 'ignore' : 'pipe'],
  });
  const { limits } = job;
  const key = isKeyed ? randomBytes(16).toString('hex') : null;
  // JSON writes a character with at most six. More output than this cannot be an engine's reply, whatever the code did.
  const longest = 6 * (limits.characters + limits.fileCharacters) + 100_000;
  return new Promise((resolve) => {
    let end: SandboxEnd | null = null;
    let started: number | null = null;
    let waiting = '';
    let answers = Promise.resolve();
    const finish = (how: SandboxEnd) => {
      end ??= how;
      clearTimeout(timer);
      running.kill('SIGKILL');
      afterKill?.();
    };
    let timer = setTimeout(() => finish(endWith('engine', 'The engine of the sandbox did not start.')), startTime);
    const abort = () => finish(endWith('engine', 'called off'));
    host.signal?.addEventListener('abort', abort, { once: true });

    function hear(line: string): void {
      const message = parseBounded(line);
      const { type, id, name, text } = (message ?? {}) as JsonObject;
      if (key !== null && (message as JsonObject | null)?.['key'] !== key)
        finish(endWith('engine', 'The code wrote to a channel of its sandbox.'));
      else if (type === 'started' && started === null) {
        started = performance.now();
        clearTimeout(timer);
        timer = setTimeout(() => finish(endWith('time')), limits.wallMilliseconds + grace);
      } else if (type === 'call' && Number.isSafeInteger(id) && typeof name === 'string' && typeof text === 'string')
        answer(id as number, name, text);
      else if (type === 'end') finish(readEnd(message, limits));
      else finish(endWith('engine', 'The engine of the sandbox spoke out of turn.'));
    }

    /** Calls start at once, but answers are delivered in the order of the calls, so that a run can be replayed. */
    function answer(id: number, name: string, text: string): void {
      const called = host.call(name, text);
      answers = answers.then(async () => {
        const callAnswer = await called;
        if (end !== null) return;
        if (callAnswer === null) finish(endWith('calls'));
        else send(running, { type: 'answer', id, ok: callAnswer.ok, text: JSON.stringify(callAnswer.value) });
      });
    }

    const decoder = new StringDecoder('utf8');
    running.stdout?.on('data', (bytes: Buffer) => {
      if (end !== null) return;
      waiting += decoder.write(bytes);
      for (let at = waiting.indexOf('\n'); at >= 0 && end === null; at = waiting.indexOf('\n')) {
        const line = waiting.slice(0, at);
        waiting = waiting.slice(at + 1);
        hear(line);
      }
      if (waiting.length > longest) finish(endWith('output'));
    });
    for (const stream of [running.stdin, running.stdio[3]]) stream?.on('error', () => undefined);
    if (third !== undefined) (running.stdio[3] as Writable).end(third);
    running.on('error', (thrown) => {
      finish(endWith('engine', `The engine of the sandbox did not start: ${thrown.message}`));
      if (running.pid === undefined) settle(null, null);
    });
    running.on('close', settle);
    send(running, { type: 'job', ...job, ...(key !== null && { key }) });

    function settle(status: number | null, signal: NodeJS.Signals | null): void {
      clearTimeout(timer);
      host.signal?.removeEventListener('abort', abort);
      resolve(end ?? endOf(status, signal, started !== null && performance.now() - started, limits));
    }
  });
}

function send(running: ChildProcess, message: Json): void {
  if (running.stdin?.writable) running.stdin.write(`${JSON.stringify(message)}\n`);
}

/** The meaning of an exit without a result. A wrapper reports the signal that ended its child as 128 plus its number. */
function endOf(
  status: number | null,
  signal: NodeJS.Signals | null,
  ran: number | false,
  { milliseconds }: SandboxJob['limits'],
): SandboxEnd {
  const is = (name: NodeJS.Signals, number: number) => signal === name || status === 128 + number;
  if (ran === false) return endWith('engine', `The engine of the sandbox did not start (it ended with ${signal ?? status}).`);
  if (is('SIGXCPU', 24)) return endWith('time');
  if (is('SIGSEGV', 11)) return endWith('stack');
  if (is('SIGABRT', 6) || is('SIGTRAP', 5)) return endWith('memory');
  // Not killed by this process: the processor time limit sends a second signal, and the system kills processes when memory runs out.
  if (is('SIGKILL', 9)) return endWith(ran >= milliseconds ? 'time' : 'memory');
  return endWith('engine', `The engine of the sandbox ended with ${signal ?? status} and without a result.`);
}
