/** @file The backends of the sandbox by name. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { SandboxEnd, SandboxHost, SandboxJob } from './job.ts';
import type { SandboxProbe } from './sandbox.ts';

export const backendNames = ['wasm', 'python', 'python-wasm', 'container', 'remote'] as const;

export interface BackendSettings {
  /**
   * wasm (JavaScript, the default), python (a Python of this machine inside bubblewrap), python-wasm (MicroPython), container, or remote.
   */
  readonly backend?: (typeof backendNames)[number];
  /** The language of a container or a server; python by default. The wasm backend runs JavaScript, those named after Python run Python. */
  readonly language?: 'javascript' | 'python';
  /** A Python to use instead of the first one found. */
  readonly python?: string;
  /** docker, podman, or a path to one. */
  readonly engine?: string;
  readonly image?: string;
  /** A runtime of the container engine, such as runsc for gVisor. */
  readonly runtime?: string;
  /** Address of a sandbox server. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Disables bubblewrap and rlimits, for tests of the engine's own guarantees. */
  readonly isolation?: boolean;
}

export interface Backend {
  readonly name: (typeof backendNames)[number];
  readonly language: 'javascript' | 'python';
  /** Tests it on this machine. */
  probe(): Promise<SandboxProbe>;
  /** Runs a job in isolation. It never throws for errors of the code. */
  execute(job: SandboxJob, host: SandboxHost): Promise<SandboxEnd>;
}

/** The backend, after a test that it works here. */
export async function loadBackend(settings: BackendSettings): Promise<Backend> {
  const backend = await createBackend(settings);
  const { ok, why } = await backend.probe();
  if (!ok) throw new Fault('tool', `The sandbox "${backend.name}" cannot run here: ${why ?? 'it did not answer'}`);
  return backend;
}

export async function probeBackend(settings: BackendSettings): Promise<SandboxProbe> {
  return (await createBackend(settings)).probe();
}

/** The default Python: that of this machine, or else the one in WebAssembly. */
export async function usualPython(settings: Pick<BackendSettings, 'python'> = {}): Promise<'python' | 'python-wasm'> {
  return (await probeBackend({ ...settings, backend: 'python' })).ok ? 'python' : 'python-wasm';
}

async function createBackend(settings: BackendSettings): Promise<Backend> {
  const { backend = 'wasm' } = settings;
  if (backend === 'wasm') return (await import('./wasm.ts')).createWasm(settings);
  if (backend === 'python') return (await import('./python.ts')).createPython(settings);
  if (backend === 'python-wasm') return (await import('./wasm.ts')).createPythonWasm(settings);
  if (backend === 'container') return (await import('./container.ts')).createContainer(settings);
  if (backend === 'remote') return (await import('./remote.ts')).createRemote(settings);
  throw new Fault('input', `Unknown sandbox "${backend}". Available: ${backendNames.join(', ')}.${didYouMean(backend, backendNames)}`, {
    code: 'E_UNKNOWN_NAME',
  });
}
