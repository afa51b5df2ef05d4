/** @file The sandbox as a tool of an agent, and as a function that runs one piece of code. */

import { isFault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { SandboxResult } from '../sandbox/box.ts';
import type { SandboxLimits } from '../sandbox/limits.ts';
import { openSandbox, type SandboxOptions } from '../sandbox/sandbox.ts';
import type { Tool } from './tool.ts';

/** The backend and its limits. */
export type SandboxSettings = SandboxLimits &
  Pick<SandboxOptions, 'backend' | 'language' | 'python' | 'engine' | 'image' | 'runtime' | 'url' | 'headers'>;

export type CodeResult =
  | { readonly ok: true; readonly value: Json; readonly printed: string }
  | { readonly ok: false; readonly problem: string; readonly printed: string };

/** Runs a JavaScript function body; `input` is its argument, `return` gives the value. */
export async function runCode(code: string, input: Json = null, settings: SandboxSettings = {}, signal?: AbortSignal): Promise<CodeResult> {
  const { ok, value, problem, printed } = await runOnce(code, input, settings, signal);
  return ok ? { ok, value, printed } : { ok, problem: problem.text, printed };
}

async function runOnce(code: string, input: Json, settings: SandboxSettings, signal?: AbortSignal): Promise<SandboxResult> {
  const { milliseconds, wallMilliseconds, megabytes, characters, calls, fileCharacters, ...backend } = settings;
  const limits = { milliseconds, wallMilliseconds, megabytes, characters, calls, fileCharacters } as SandboxLimits;
  signal?.throwIfAborted();
  const box = await openSandbox({ ...backend, limits });
  try {
    const [file, text] = box.language === 'python' ? ['main.py', code] : ['main.js', `export default async (input) => {\n${code}\n}`];
    box.write(file, text);
    return await box.run(file, input, signal);
  } catch (thrown) {
    if (!isFault(thrown) || thrown.boundary !== 'input' || signal?.aborted) throw thrown;
    return {
      ok: false,
      value: null,
      problem: { kind: 'threw', text: thrown.message },
      printed: '',
      calls: [],
      used: { milliseconds: 0, cpuMilliseconds: 0, bytes: 0 },
    };
  } finally {
    box.close();
  }
}

const descriptions = {
  javascript: 'Runs the body of a JavaScript function and gives back what it returns. It can only compute: no files, network or modules.',
  python:
    'Runs a Python program and gives back its variable `result`. It can only compute: no network, no other processes, no files that stay.',
};

export function sandboxTool(settings: SandboxSettings = {}, name = 'run_code'): Tool {
  const language = settings.backend === undefined || settings.backend === 'wasm' ? 'javascript' : (settings.language ?? 'python');
  return {
    spec: {
      name,
      description: descriptions[language],
      parameters: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'], additionalProperties: false },
    },
    async call(input, signal) {
      const code = (input as JsonObject | null)?.['code'];
      if (typeof code !== 'string') return { ok: false, text: 'Give the code as {"code": "…"}.' };
      const result = await runCode(code, null, settings, signal);
      const printed = result.printed === '' ? '' : `\nprinted:\n${result.printed}`;
      return { ok: result.ok, text: (result.ok ? JSON.stringify(result.value) : result.problem) + printed };
    },
  };
}
