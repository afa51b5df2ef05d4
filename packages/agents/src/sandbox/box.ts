/** @file A sandbox box: a virtual folder of text files in memory, and runs of the code in it. */

import { Fault, type Json, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { Tool } from '../tools/tool.ts';
import type { Backend } from './backends.ts';
import { deepest, parseBounded } from './bounded-json.ts';
import { fitsGlob } from './glob.ts';
import { type CallAnswer, endWith, type SandboxEnd, type SandboxHost, type SandboxJob } from './job.ts';
import type { FullLimits } from './limits.ts';
import type { SandboxCall, SandboxProblem, SandboxUse } from './sandbox.ts';
import { misfit } from './schema.ts';
import { toVirtualPath } from './virtual-path.ts';

/** The result of a sandbox run: a value, or the problem. */
export type SandboxResult = {
  /** The printed output. */
  readonly printed: string;
  readonly calls: readonly SandboxCall[];
  readonly used: SandboxUse;
} & (
  | { readonly ok: true; readonly value: Json; readonly problem: null }
  | { readonly ok: false; readonly value: null; readonly problem: SandboxProblem }
);

export type SandboxTest = {
  readonly name: string;
  readonly ok: boolean;
  /** Why it failed; empty if it passed. */
  readonly why: string;
};

/** The results of the tests in a sandbox. */
export interface SandboxTestReport {
  /** Whether there were tests and all passed. */
  readonly ok: boolean;
  readonly tests: readonly SandboxTest[];
  readonly problem: SandboxProblem | null;
  readonly printed: string;
}

/** A sandbox with files, which runs and tests code within limits. */
export interface Box {
  readonly language: 'javascript' | 'python';
  write(path: string, text: string): void;
  /** The text at a path, or null. */
  read(path: string): string | null;
  list(): readonly string[];
  /** Runs a module on an input. JavaScript: its default export, called if it is a function. Python: `main(input)`, or `result`. */
  run(entry: string, input?: Json, signal?: AbortSignal): Promise<SandboxResult>;
  /**
   * Runs all tests in the files that match the pattern. The code under test could forge the outcome: to grade, compare values of `run`
   * yourself.
   */
  test(glob?: string, signal?: AbortSignal): Promise<SandboxTestReport>;
  /** Ends all running code. */
  close(): void;
}

export interface BoxOptions extends Pick<SandboxJob, 'seed' | 'clock' | 'files'> {
  readonly limits: FullLimits;
  readonly tools: readonly Tool[];
}

export function createBox(backend: Backend, { limits, tools, files: initialFiles, seed, clock }: BoxOptions): Box {
  const files = new Map<string, string>();
  const closing = new AbortController();
  const testGlob = backend.language === 'python' ? '**/test_*.py' : '**/*.test.*';
  for (const [path, text] of Object.entries(initialFiles)) write(path, text);

  function write(path: string, text: string): void {
    const at = placeOf(path);
    const size = [...files].reduce((sum, [name, content]) => (name === at ? sum : sum + name.length + content.length), 0);
    if (size + at.length + text.length > limits.fileCharacters)
      throw new Fault('input', `The files of a sandbox can have ${limits.fileCharacters} characters in total; "${at}" exceeds that.`, {
        code: 'E_TOO_LARGE',
      });
    files.set(at, text);
  }

  async function execute(entry: string, tests: readonly string[] | null, input: Json, signal?: AbortSignal) {
    closing.signal.throwIfAborted();
    signal?.throwIfAborted();
    const calls: SandboxCall[] = [];
    const both = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);
    const names = tools.map(({ spec }) => spec.name);
    const job = { entry, tests, input, files: Object.fromEntries(files), tools: names, limits, seed, clock };
    const end = await backend.execute(job, { call: caller(tools, limits, calls, both), signal: both });
    both.throwIfAborted();
    try {
      // Only paths inside the folder are accepted.
      for (const [path, text] of Object.entries(end.files)) if (toVirtualPath(path) === path) write(path, text);
    } catch (thrown) {
      return { end: { ...end, ...endWith('output', sentenceOf(thrown), end.used) }, calls };
    }
    return { end, calls };
  }

  return {
    language: backend.language,
    write,
    read: (path) => files.get(placeOf(path)) ?? null,
    list: () => [...files.keys()].sort(),
    async run(entry, input = null, signal) {
      const at = placeOf(entry);
      if (!files.has(at))
        throw new Fault('input', `File "${at}" not found in the sandbox. It has ${[...files.keys()].slice(0, 10).join(', ') || 'none'}.`, {
          code: 'E_NOT_FOUND',
        });
      const { end, calls } = await execute(at, null, input, signal);
      return { ...outcomeOf(end), printed: end.printed, calls, used: end.used };
    },
    async test(glob = testGlob, signal) {
      const paths = [...files.keys()].filter((path) => fitsGlob(path, glob)).sort();
      if (paths.length === 0)
        throw new Fault(
          'input',
          `No file in the sandbox matches "${glob}". It has ${[...files.keys()].slice(0, 10).join(', ') || 'none'}.`,
          { code: 'E_NOT_FOUND' },
        );
      const { end } = await execute('', paths, null, signal);
      const { value, problem } = outcomeOf(end);
      const tests = readTests(value);
      return { ok: tests.length > 0 && tests.every((test) => test.ok), tests, problem, printed: end.printed };
    },
    close: () => closing.abort(new Fault('input', 'The sandbox is closed. Open a new one.')),
  };
}

function placeOf(path: string): string {
  const at = path.split('/').includes('..') ? null : toVirtualPath(path);
  if (at === null)
    throw new Fault(
      'input',
      `A path in a sandbox must look like "lib/add.js", without "..", but got ${JSON.stringify(path).slice(0, 80)}.`,
    );
  return at;
}

function outcomeOf({ kind, text }: SandboxEnd) {
  if (kind !== 'done') return { ok: false, value: null, problem: { kind, text } } as const;
  const value = parseBounded(text);
  const problem = { kind: 'output', text: `The result is not plain data, or is nested deeper than ${deepest}.` } as const;
  return value === undefined ? ({ ok: false, value: null, problem } as const) : ({ ok: true, value, problem: null } as const);
}

function readTests(value: Json): readonly SandboxTest[] {
  return (Array.isArray(value) ? value : []).flatMap((item) => {
    const { name, ok, why } = (item ?? {}) as { name?: Json; ok?: Json; why?: Json };
    return typeof name === 'string' ? [{ name, ok: ok === true, why: typeof why === 'string' ? why : '' }] : [];
  });
}

/**
 * Calls tools for the code: names, arguments, and numbers of calls are checked here, and every call is recorded, including refused ones.
 */
function caller(tools: readonly Tool[], limits: FullLimits, calls: SandboxCall[], signal: AbortSignal): SandboxHost['call'] {
  return async (name, text) => {
    if (calls.length >= limits.calls) return null;
    const input = text.length > limits.characters ? undefined : parseBounded(text);
    const place = calls.push({ tool: name.slice(0, 100), arguments: input ?? null, ok: false, result: null }) - 1;
    const answer = await answerTo(
      tools.find(({ spec }) => spec.name === name),
      name,
      input,
      signal,
    );
    calls[place] = { ...calls[place]!, ok: answer.ok, result: answer.value };
    return answer;
  };
}

async function answerTo(tool: Tool | undefined, name: string, input: Json | undefined, signal: AbortSignal): Promise<CallAnswer> {
  const refuse = (value: string) => ({ ok: false, value });
  if (tool === undefined) return refuse(`Unknown tool "${name.slice(0, 100)}".`);
  if (input === undefined) return refuse(`The arguments of ${name} must be plain data that is not too long or too deeply nested.`);
  const wrong = misfit(tool.spec.parameters, input);
  if (wrong !== null) return refuse(`The tool ${name} was not called: ${wrong}.`);
  try {
    const result = await tool.call(input, signal);
    return { ok: result.ok, value: result.value ?? result.text };
  } catch (thrown) {
    return refuse(`The tool ${name} failed: ${sentenceOf(thrown)}`);
  }
}
