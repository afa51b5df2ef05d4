/**
 * @file The sandbox: runs code written by a model, with limits, and returns plain data.
 *
 * A backend runs one job in one fresh process (or machine) that is never reused. The result is untrusted data: it is checked and bounded
 * here, in the parent. Tools are called in the parent; the code only names them.
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
  /** Texts by path. Modules can be imported by the code. */
  readonly files?: Readonly<Record<string, string>>;
  /** Tools that the code may call; every call is recorded. */
  readonly tools?: readonly Tool[];
  /** Seeds the random numbers of the code: the same seed gives the same run. */
  readonly seed?: number;
  /** The start of the code's clock, in milliseconds since 1970. Each reading advances it by one. */
  readonly clock?: number;
}

/** Opens a sandbox; throws a Fault that explains why if this machine does not support it. */
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

/** The isolation by a backend on this machine: true or false for each property; `why` explains what is missing. */
export interface SandboxProbe {
  readonly ok: boolean;
  readonly holds: Readonly<Record<'network' | 'files' | 'memory' | 'cpu' | 'fork', boolean>>;
  readonly why?: string;
}

/** Every backend and its isolation here, for people to read. Each is tested again, because the machine may have changed. */
export async function sandboxReport(
  settings: Omit<BackendSettings, 'backend'> = {},
): Promise<readonly ({ readonly backend: Backend['name'] } & SandboxProbe)[]> {
  return Promise.all(backendNames.map(async (backend) => ({ backend, ...(await probeBackend({ ...settings, backend })) })));
}

/** Why a run gave no value. */
export type ProblemKind = 'time' | 'memory' | 'output' | 'threw' | 'stack' | 'calls' | 'engine';

export interface SandboxProblem {
  readonly kind: ProblemKind;
  /** One sentence. */
  readonly text: string;
}

/** One tool call by the code, as stored in a log. */
export interface SandboxCall {
  readonly tool: string;
  readonly arguments: Json;
  readonly ok: boolean;
  readonly result: Json;
}

export interface SandboxUse {
  readonly milliseconds: number;
  readonly cpuMilliseconds: number;
  /** The peak memory, if the backend can measure it. */
  readonly bytes: number;
}
