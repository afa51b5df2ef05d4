/**
 * @file The default backend: QuickJS in WebAssembly, in a Node process without permissions, inside bubblewrap and rlimits where this
 * machine has them.
 */

import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Backend, BackendSettings } from './backends.ts';
import { type IsolatedProgram, type Isolation, isolate, possibleIsolations } from './isolation.ts';
import type { SandboxJob } from './job.ts';
import { withDefaults } from './limits.ts';
import { runProcess } from './process.ts';

const here = dirname(fileURLToPath(import.meta.url));
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const rootPackage = fileURLToPath(new URL('../../../package.json', import.meta.url));

/** Folders that the engine's process reads. */
function engineFolders(): readonly string[] {
  const core = packageAt(import.meta.url, 'quickjs-emscripten-core');
  return [
    here,
    rootPackage,
    core,
    packageAt(import.meta.url, '@jitl/quickjs-ng-wasmfile-release-sync'),
    packageAt(`${core}/package.json`, '@jitl/quickjs-ffi-types'),
  ];
}

/** Packages have their entry in dist/. */
function packageAt(from: string, name: string): string {
  return dirname(dirname(createRequire(from).resolve(name)));
}

/** The program that runs a job; a container runs the same one with its own Node. */
export function wasmProgram(
  { limits }: Pick<SandboxJob, 'limits'>,
  node = process.execPath,
): IsolatedProgram & { readonly folders: readonly string[] } {
  const folders = engineFolders();
  const flags = [
    '--permission',
    ...folders.map((folder) => `--allow-fs-read=${folder}`),
    '--disallow-code-generation-from-strings',
    '--max-old-space-size=128',
    '--no-warnings',
    // The engine's own stack ends before this one, so that deep code fails inside the engine.
    ...(process.platform === 'win32' ? [] : ['--stack-size=3900']),
  ];
  return {
    command: [node, ...flags, `${here}/engine.${extension}`],
    readable: [node, ...folders],
    folders,
    rlimits: { cpuSeconds: Math.ceil(limits.milliseconds / 1000) + 3, dataBytes: (limits.megabytes + 704) * 2 ** 20, fileBytes: 0 },
  };
}

let standing: Promise<Isolation | null> | undefined;

/** The strongest isolation in which an engine starts and answers, tried once in a process. */
async function findIsolation(): Promise<Isolation | null> {
  const job: SandboxJob = {
    entry: 'a.js',
    tests: null,
    input: null,
    files: { 'a.js': 'export default 1' },
    tools: [],
    limits: withDefaults(),
    seed: 0,
    clock: 0,
  };
  for (const isolation of possibleIsolations()) {
    const end = await runProcess(isolate(wasmProgram(job), isolation), job, { call: async () => null });
    if (end.kind === 'done') return isolation;
  }
  return null;
}

export function createWasm({ isolation: wanted = true }: BackendSettings): Backend {
  const isolation = async () => {
    standing ??= findIsolation();
    const found = await standing;
    return wanted || found === null ? found : 'none';
  };
  return {
    name: 'wasm',
    language: 'javascript',
    async probe() {
      const found = await isolation();
      const inside = found === 'own-user' || found === 'namespaces';
      // The engine has no network, files or processes to offer; without isolation a fault in the engine itself would.
      const holds = { network: found !== null, files: found !== null, memory: found !== null, cpu: found !== null, fork: found !== null };
      if (found === null) return { ok: false, holds, why: 'the engine did not start in a Node process of its own.' };
      if (inside) return { ok: true, holds };
      return {
        ok: true,
        holds,
        why: `by the engine, Node's permissions and the parent's kill alone; install bubblewrap and prlimit for isolation around them${found === 'rlimits' ? ' (prlimit is there)' : ''}.`,
      };
    },
    async execute(job, host) {
      return runProcess(isolate(wasmProgram(job), (await isolation()) ?? 'none'), job, host);
    },
  };
}
