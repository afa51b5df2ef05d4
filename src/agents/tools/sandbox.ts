/**
 * @file JavaScript from a model, run in a process that can do nothing but compute.
 *
 * Four walls: a child under Node's permission model (no files, processes, workers or addons) with an empty environment; a fresh realm
 * without modules, timers, memory outside the heap or any object of the realm that runs it; no code from strings in either realm; sockets
 * taken apart before the code starts, because Node's permissions do not cover the network before version 25. Time, memory and output have
 * limits, and the result comes back as data.
 */

import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Json, JsonObject } from '../../core/index.ts';
import type { Tool } from './tool.ts';

export interface SandboxLimits {
  readonly milliseconds?: number;
  readonly megabytes?: number;
  /** Of printed lines and of the result together. */
  readonly characters?: number;
}

export type CodeResult =
  | { readonly ok: true; readonly value: Json; readonly printed: string }
  | { readonly ok: false; readonly problem: string; readonly printed: string };

/** What the child does. It says "ready" once it runs, so that a slow start does not count as the code's time. */
const child = `
const vm = require('node:vm');
const refuse = () => { throw new Error('There is no network here.'); };
const net = require('node:net'), dgram = require('node:dgram'), dns = require('node:dns');
net.Socket.prototype.connect = net.Server.prototype.listen = refuse;
dgram.Socket.prototype.bind = dgram.Socket.prototype.send = dgram.Socket.prototype.connect = refuse;
for (const part of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
  for (const name of Object.getOwnPropertyNames(part)) if (typeof part[name] === 'function' && name !== 'constructor') part[name] = refuse;
for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) delete globalThis[name];
const within = (source, context, timeout) => vm.runInContext(source, context, timeout === undefined ? {} : { timeout });
let written = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (piece) => (written += piece));
process.stdin.on('end', () => {
  const { code, input, milliseconds, characters } = JSON.parse(written);
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: false }, microtaskMode: 'afterEvaluate' });
  let out;
  try {
    within(\`'use strict';
      for (const name of ['ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Atomics', 'WebAssembly', ...Object.getOwnPropertyNames(globalThis).filter((one) => one.endsWith('Array') && one !== 'Array')]) delete globalThis[name];
      var told = { printed: '', state: 'never finished', text: undefined };
      var console = Object.fromEntries(['log', 'info', 'warn', 'error', 'debug'].map((name) => [name, (...parts) => {
        if (told.printed.length < \${characters}) told.printed += parts.map((part) => typeof part === 'string' ? part : JSON.stringify(part) ?? String(part)).join(' ') + '\\\\n';
      }]));\`, context);
    within('(async (input) => {\\n' + code + '\\n})(' + JSON.stringify(input) + ').then((value) => { told.text = JSON.stringify(value === undefined ? null : value) ?? "null"; told.state = "done"; }, (thrown) => { told.state = "threw"; told.text = String(thrown); });', context, milliseconds);
    out = within('JSON.stringify(told)', context, milliseconds);
  } catch (thrown) {
    let why = 'The code failed.';
    try { why = thrown?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? 'The code took too long.' : String(thrown?.message ?? thrown); } catch {}
    out = JSON.stringify({ printed: '', state: 'threw', text: why });
  }
  process.stdout.write(typeof out === 'string' ? out : '{}', () => process.exit(0));
});
process.stdout.write('ready\\n');
`;

/** Milliseconds the child may take to start on a busy machine, and to answer after its own limit. */
const startTime = 30_000;
const grace = 1_000;

/** Runs a function body; `input` is what it is given, `return` gives the value. */
export async function runCode(code: string, input: Json = null, limits: SandboxLimits = {}, signal?: AbortSignal): Promise<CodeResult> {
  const { milliseconds = 2_000, megabytes = 64, characters = 20_000 } = limits;
  signal?.throwIfAborted();
  const flags = ['--permission', '--disallow-code-generation-from-strings', `--max-old-space-size=${megabytes}`, '--max-semi-space-size=2'];
  const running = spawn(process.execPath, [...flags, '--no-warnings', '-e', child], {
    env: {},
    cwd: tmpdir(),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return new Promise((resolve, reject) => {
    let written = '';
    let end: CodeResult | null = null;
    const fail = (problem: string) => {
      end ??= { ok: false, problem, printed: '' };
      running.kill('SIGKILL');
    };
    let timer = setTimeout(() => fail('The sandbox did not start.'), startTime);
    const abort = () => fail('called off');
    signal?.addEventListener('abort', abort, { once: true });
    running.stdout.setEncoding('utf8').on('data', (piece: string) => {
      if (written === '') {
        clearTimeout(timer);
        timer = setTimeout(() => fail('The code took too long.'), milliseconds + grace);
      }
      written += piece;
      if (written.length > 8 * characters + 10_000) fail('The code gave too much output.');
    });
    running.stdin.on('error', () => undefined);
    running.on('error', (thrown) => fail(`The sandbox did not start: ${thrown.message}`));
    running.on('close', (status) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted) reject(signal.reason);
      else
        resolve(end ?? (status === 0 ? resultIn(written, characters) : { ok: false, problem: 'The code ran out of memory.', printed: '' }));
    });
    running.stdin.end(JSON.stringify({ code, input, milliseconds, characters }));
  });
}

/** What the child wrote is outside data: it is read with care and cut to size. */
function resultIn(written: string, characters: number): CodeResult {
  let told: JsonObject;
  try {
    told = JSON.parse(written.slice('ready\n'.length)) as JsonObject;
  } catch {
    return { ok: false, problem: 'The code left no result.', printed: '' };
  }
  const printed = String(told['printed'] ?? '').slice(0, characters);
  const text = typeof told['text'] === 'string' ? told['text'] : '';
  if (told['state'] !== 'done')
    return { ok: false, problem: told['state'] === 'threw' ? text.slice(0, 500) : 'The code never finished.', printed };
  if (text.length + printed.length > characters)
    return { ok: false, problem: `The result is longer than ${characters} characters.`, printed };
  try {
    return { ok: true, value: JSON.parse(text) as Json, printed };
  } catch {
    return { ok: false, problem: 'The result is not plain data.', printed };
  }
}

/** The sandbox as a tool. */
export function sandboxTool(limits: SandboxLimits = {}, name = 'run_code'): Tool {
  return {
    spec: {
      name,
      description:
        'Runs the body of a JavaScript function and gives back what it returns. It can only compute: no files, network or modules.',
      parameters: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'], additionalProperties: false },
    },
    async call(given, signal) {
      const code = (given as JsonObject | null)?.['code'];
      if (typeof code !== 'string') return { ok: false, text: 'Give the code as {"code": "…"}.' };
      const result = await runCode(code, null, limits, signal);
      const printed = result.printed === '' ? '' : `\nprinted:\n${result.printed}`;
      return { ok: result.ok, text: (result.ok ? JSON.stringify(result.value) : result.problem) + printed };
    },
  };
}
