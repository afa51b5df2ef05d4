/** @file The input and output of a backend. Engines, containers, and servers use the same few messages, as JSON. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { FullLimits } from './limits.ts';
import type { ProblemKind, SandboxUse } from './sandbox.ts';

/** One run: a module of the folder with an input, or all tests in some of its files. */
export interface SandboxJob {
  readonly entry: string;
  /** Test files; if given, `entry` is not run. */
  readonly tests: readonly string[] | null;
  readonly input: Json;
  readonly files: Readonly<Record<string, string>>;
  /** Names of the callable tools. */
  readonly tools: readonly string[];
  readonly limits: FullLimits;
  readonly seed: number;
  readonly clock: number;
}

/** An answer to a call of the code. */
export type CallAnswer = { readonly ok: boolean; readonly value: Json };

/** The parent's side of a run. */
export interface SandboxHost {
  /** Calls a tool; never throws. Null ends the run, because there were too many calls. */
  call(name: string, text: string): Promise<CallAnswer | null>;
  readonly signal?: AbortSignal | undefined;
}

/** The result of a run, parsed safely, but with a value that is not yet trusted to be JSON. */
export interface SandboxEnd {
  readonly kind: 'done' | ProblemKind;
  /** The value as JSON, or a sentence. */
  readonly text: string;
  readonly printed: string;
  /** Files written by the code. */
  readonly files: Readonly<Record<string, string>>;
  readonly used: SandboxUse;
}

const kinds: readonly string[] = [
  'done',
  'time',
  'memory',
  'output',
  'threw',
  'stack',
  'calls',
  'engine',
] satisfies readonly SandboxEnd['kind'][];

/** Messages for results that contain none. */
const sentences: Readonly<Record<ProblemKind, string>> = {
  time: 'The code took too long.',
  memory: 'The code ran out of memory.',
  output: 'The code gave too much output.',
  threw: 'The code failed.',
  stack: 'The code went too deep: its stack is full.',
  calls: 'The code called tools too often.',
  engine: 'The engine of the sandbox stopped.',
};

export function endWith(kind: ProblemKind, text: string = sentences[kind], used: Partial<SandboxUse> = {}): SandboxEnd {
  return { kind, text, printed: '', files: {}, used: { milliseconds: 0, cpuMilliseconds: 0, bytes: 0, ...used } };
}

/** Parses a result from outside. An invalid one becomes a fault of the engine. */
export function readEnd(input: Json | undefined, { characters, fileCharacters }: FullLimits): SandboxEnd {
  const jsonObject = (typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {}) as JsonObject;
  const { kind, text, printed = '', files = {}, used = {} } = jsonObject;
  if (typeof kind !== 'string' || !kinds.includes(kind) || typeof text !== 'string' || typeof printed !== 'string')
    return endWith('engine', 'The engine of the sandbox left no result.');
  const written = Object.entries(typeof files === 'object' && files !== null ? files : {}).filter(
    (item): item is [string, string] => typeof item[1] === 'string',
  );
  const most = written.reduce((sum, [path, content]) => sum + path.length + content.length, 0);
  const figures = (used ?? {}) as JsonObject;
  const figure = (name: string) => (Number.isFinite(figures[name]) ? Math.max(0, figures[name] as number) : 0);
  const end = {
    text,
    printed: printed.slice(0, characters),
    files: most > fileCharacters ? {} : Object.fromEntries(written),
    used: { milliseconds: figure('milliseconds'), cpuMilliseconds: figure('cpuMilliseconds'), bytes: figure('bytes') },
  };
  if (kind === 'done' && text.length + printed.length > characters)
    return { ...end, kind: 'output', text: `The result is longer than ${characters} characters.` };
  return kind === 'done'
    ? { ...end, kind }
    : { ...end, kind: kind as ProblemKind, text: text.slice(0, 500) || sentences[kind as ProblemKind] };
}
