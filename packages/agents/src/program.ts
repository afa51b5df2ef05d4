/**
 * @file An agent whose policy is a program, stored as the text `policy` of its spec and run at every turn with the new messages.
 *
 * No model is called. The program runs in a fresh sandboxed process each turn, or in the interpreter, in this process with a fuel limit.
 * The values it stores are its mind, so they are in the log, and a replay does not run the program.
 */

import type { Agent, AgentSpec, Json, JsonObject, Turn } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isObject } from '@ludus-agents/kernel/internal/core/index';
import { object, one, readAs, withDefault } from '@ludus-agents/kernel/internal/core/shape';
import { openSandbox } from './sandbox/sandbox.ts';

export interface ProgramSettings {
  readonly in: 'sandbox' | 'interpreter';
}

/** Runs one of several files with an input, in this process; returns its value or the reason it failed. */
export type RunScript = (files: Readonly<Record<string, string>>, entry: string, input: Json) => ProgramResult;

interface ProgramResult {
  readonly value: Json;
  readonly problem: string | null;
}

const shape = object<{ settings: ProgramSettings }>({
  settings: withDefault(
    object<ProgramSettings>({
      in: withDefault(
        one('sandbox', 'interpreter'),
        'sandbox',
        'what runs it: a new process at every turn, or a restricted language in this process',
      ),
    }),
    { in: 'sandbox' },
  ),
});

export function readProgram(spec: AgentSpec): ProgramSettings & { readonly code: string } {
  const { settings } = readAs(shape, { settings: spec.settings }, { where: spec.name, called: 'a program' });
  const code = spec.texts?.['policy'] ?? '';
  if (!/\bpolicy\b/.test(code))
    throw new Fault(
      'input',
      `${spec.name} is a program, but its text "policy" has no function "policy". Write {"texts": {"policy": "export function policy(turn) { return turn.choices[0]; }"}}.`,
    );
  return { ...settings, code };
}

export function programAgent(spec: AgentSpec, runScript: RunScript | undefined): Agent {
  const { name } = spec;
  const { code, in: place } = readProgram(spec);
  if (place === 'interpreter' && runScript === undefined)
    throw new Fault('input', `${name} runs in the interpreter, which is not available here. Set {"in": "sandbox"}.`);
  return {
    name,
    async act(turn, signal) {
      const input = inputOf(turn);
      const { value, problem } = place === 'sandbox' ? await runInSandbox(code, input, turn, signal) : runHere(runScript!, code, input);
      if (problem !== null) throw new Fault('agent', `The program of ${name} failed: ${problem}`);
      const { text, memory } = isObject(value) ? value : { text: value, memory: undefined };
      if (typeof text !== 'string')
        throw new Fault(
          'agent',
          `The program of ${name} must return a string, or {"text", "memory"}, but returned ${JSON.stringify(value).slice(0, 80)}.`,
        );
      return { action: { text }, ...(memory === undefined ? {} : { mind: { kind: 'program/1', memory } }) };
    },
  };
}

/** A program's input: new messages since its last action, the choices, its memory, and a random number. */
function inputOf({ view, ask, mind, rng }: Turn): JsonObject {
  const acted = view.seen.findLastIndex((item) => item.kind === 'action');
  const texts = view.seen.slice(acted + 1).flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const memory = isObject(mind) && mind['kind'] === 'program/1' ? (mind['memory'] as Json) : null;
  const data = ask.data === undefined ? {} : { data: ask.data };
  return { seat: ask.seat, text: texts.join('\n'), choices: [...(ask.choices ?? [])], memory, random: rng.next(), ...data };
}

async function runInSandbox(code: string, input: JsonObject, { rng }: Turn, signal: AbortSignal): Promise<ProgramResult> {
  const entry = "import { policy } from './policy.js';\nexport default (turn) => policy(turn);\n";
  const box = await openSandbox({ files: { 'policy.js': code, 'turn.js': entry }, seed: rng.int(2 ** 31) });
  try {
    const { value, problem } = await box.run('turn.js', input, signal);
    return { value, problem: problem?.text ?? null };
  } finally {
    box.close();
  }
}

function runHere(runScript: RunScript, code: string, input: JsonObject): ProgramResult {
  return runScript({ 'policy.js': code, 'turn.js': "import { policy } from './policy.js';\npolicy(turn);\n" }, 'turn.js', input);
}
