/**
 * @file The sandbox: runs code that a model wrote, with limits, and gives back plain data.
 *
 * A backend runs one job in one fresh process (or machine) and is never used again. The result is outside data: it is checked here, in the
 * parent, and bounded. Tools are called in the parent; the code only names them.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { Tool } from '../tools/tool.ts';
import { type Backend, type BackendSettings, backendNames, loadBackend, probeBackend } from './backends.ts';
import { type Box, createBox, type SandboxResult, type SandboxTestReport } from './box.ts';
import { type SandboxLimits, withDefaults } from './limits.ts';

export type { Box, SandboxResult, SandboxTestReport };

/** Options for opening a sandbox. */
export interface SandboxOptions extends BackendSettings {
  readonly limits?: SandboxLimits | undefined;
  /** Texts by path. Modules among them can be imported. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the code may call; every call is recorded. */
  readonly tools?: readonly Tool[];
  /** Starts the dice of the code: the same seed gives the same run. */
  readonly seed?: number;
  /** Milliseconds since 1970 at which the clock of the code starts. It moves by one with every look at it. */
  readonly clock?: number;
}

/** Opens a sandbox, or throws a Fault that explains why this machine cannot have it. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Box> {
  const backend = await loadBackend(options);
  return createBox(backend, {
    limits: withDefaults(options.limits),
    files: options.files ?? {},
    tools: options.tools ?? [],
    seed: options.seed ?? 0,
    clock: options.clock ?? defaultClock,
  });
}

/** 1 January 2000. */
const defaultClock = 946_684_800_000;

/** What a backend isolates on this machine: true if it does, false if not; `why` names what is missing. */
export interface SandboxProbe {
  readonly ok: boolean;
  readonly holds: Readonly<Record<'network' | 'files' | 'memory' | 'cpu' | 'fork', boolean>>;
  readonly why?: string;
}

/** Every backend and its isolation here, for a person to read. No result is cached, because it may be another machine: each is tried. */
export async function sandboxReport(
  settings: Omit<BackendSettings, 'backend'> = {},
): Promise<readonly ({ readonly backend: Backend['name'] } & SandboxProbe)[]> {
  return Promise.all(backendNames.map(async (backend) => ({ backend, ...(await probeBackend({ ...settings, backend })) })));
}

/** What ended a run that gave no value. */
export type ProblemKind = 'time' | 'memory' | 'output' | 'threw' | 'stack' | 'calls' | 'engine';

export interface SandboxProblem {
  readonly kind: ProblemKind;
  /** One sentence. */
  readonly text: string;
}

/** One call of a tool by the code, as it is kept in a log. */
export interface SandboxCall {
  readonly tool: string;
  readonly arguments: Json;
  readonly ok: boolean;
  readonly result: Json;
}

export interface SandboxUse {
  readonly milliseconds: number;
  readonly cpuMilliseconds: number;
  /** The largest memory in use, where the backend can measure it. */
  readonly bytes: number;
}
