/** @file Functions that an agent wrote and stored: each passed its tests in the sandbox, twice with equal results, before it was stored. */

import { equal, isObject, type Json } from '@ludus-agents/kernel/internal/core/index';
import { openSandbox } from '../sandbox/sandbox.ts';

/** A function written by the agent, with the tests that it passed. */
export type KeptTool = {
  readonly name: string;
  /** The source of one function, like "(a, b) => a + b". */
  readonly code: string;
  readonly tests: readonly { readonly args: readonly Json[]; readonly result: Json }[];
};

const fewestTests = 3;
const mostTests = 50;
const longestCode = 4000;
const mostKept = 20;

/** Parses a function to store; returns an error sentence if it is invalid. */
export function readTool(input: Json): KeptTool | string {
  if (!isObject(input)) return 'Give {name, code, tests}.';
  const { name, code, tests } = input;
  if (typeof name !== 'string' || !/^[a-z]\w{0,40}$/i.test(name)) return 'The name of a function is one word of letters and digits.';
  if (typeof code !== 'string' || code.length > longestCode)
    return `The code is the source of one function, of ${longestCode} characters at most.`;
  const isTest = (item: Json) => isObject(item) && Array.isArray(item['args']) && item['result'] !== undefined;
  if (!Array.isArray(tests) || tests.length < fewestTests || tests.length > mostTests || !tests.every(isTest))
    return `A function is kept with ${fewestTests} to ${mostTests} tests, each {args: […], result: …}.`;
  return { name, code, tests: tests };
}

/** Why a function fails its tests, or null. Values are compared here, out of the code's reach. */
export async function failureOf({ code, tests }: KeptTool, signal?: AbortSignal): Promise<string | null> {
  const files = {
    'tool.js': `export default (${code}\n);`,
    'main.js':
      "import tool from './tool.js';\nexport default async (lists) => { const out = []; for (const args of lists) out.push((await tool(...args)) ?? null); return out; };",
  };
  for (let seed = 1; seed <= 2; seed++) {
    const box = await openSandbox({ files, seed });
    try {
      const { ok, value, problem } = await box.run('main.js', tests.map(({ args }) => args) as Json, signal);
      if (!ok) return problem.text;
      const wrong = tests.findIndex(({ result }, i) => !equal((value as readonly Json[])[i] ?? null, result));
      if (wrong >= 0)
        return `Test ${wrong + 1} gives ${JSON.stringify((value as readonly Json[])[wrong])}, not ${JSON.stringify(tests[wrong]?.result)}.`;
    } finally {
      box.close();
    }
  }
  return null;
}

/** Calls a function in the sandbox; a failure is returned as a sentence. */
export async function useTool(
  { code }: KeptTool,
  args: readonly Json[],
  signal?: AbortSignal,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const files = {
    'tool.js': `export default (${code}\n);`,
    'main.js': "import tool from './tool.js';\nexport default async (args) => (await tool(...args)) ?? null;",
  };
  const box = await openSandbox({ files, seed: 1 });
  try {
    const { ok, value, problem } = await box.run('main.js', args as Json, signal);
    return { ok, text: ok ? JSON.stringify(value) : problem.text };
  } finally {
    box.close();
  }
}

/** The box plus one function, which replaces one of the same name; the oldest are dropped if there are too many. */
export function withTool(box: readonly KeptTool[], tool: KeptTool): readonly KeptTool[] {
  return [...box.filter(({ name }) => name !== tool.name), tool].slice(-mostKept);
}

/** The module through which code imports its box. */
export function boxModule(box: readonly KeptTool[]): string {
  return box.map(({ name, code }) => `export const ${name} = (${code}\n);`).join('\n') || 'export {};';
}
