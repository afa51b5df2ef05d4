/**
 * @file The backends in WebAssembly: QuickJS for JavaScript, the default, and MicroPython for Python, each in a Node process without
 * permissions, inside bubblewrap and rlimits if this machine has them.
 */

import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Backend, BackendSettings } from './backends.ts';
import { findProgram, type IsolatedProgram, type Isolation, isolate, possibleIsolations } from './isolation.ts';
import type { SandboxJob } from './job.ts';
import { withDefaults } from './limits.ts';
import { runProcess } from './process.ts';

const here = dirname(fileURLToPath(import.meta.url));
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const rootPackage = fileURLToPath(new URL('../../package.json', import.meta.url));

/** Folders that the process of QuickJS reads. */
function quickjsFolders(): readonly string[] {
  const core = packageAt(import.meta.url, 'quickjs-emscripten-core');
  return [
    here,
    rootPackage,
    core,
    packageAt(import.meta.url, '@jitl/quickjs-ng-wasmfile-release-sync'),
    packageAt(`${core}/package.json`, '@jitl/quickjs-ffi-types'),
  ];
}

/** A package's entry is in its dist/ folder. */
function packageAt(from: string, name: string): string {
  return dirname(dirname(createRequire(from).resolve(name)));
}

type EngineProgram = IsolatedProgram & { readonly folders: readonly string[] };

/** The program that runs a job in an engine: its input, and its permissions beyond that. */
function engineProgram(
  file: string,
  {
    folders,
    may = [],
    limits,
    node = process.execPath,
  }: Pick<SandboxJob, 'limits'> & {
    readonly folders: readonly string[];
    readonly may?: readonly string[];
    readonly node?: string | undefined;
  },
): EngineProgram {
  const flags = [
    '--permission',
    ...may,
    ...folders.map((folder) => `--allow-fs-read=${folder}`),
    '--disallow-code-generation-from-strings',
    '--max-old-space-size=128',
    '--no-warnings',
    // The engine's own stack overflows before this one, so that deep recursion fails inside the engine.
    ...(process.platform === 'win32' ? [] : ['--stack-size=3900']),
  ];
  return {
    command: [node, ...flags, `${here}/${file}.${extension}`],
    readable: [node, ...folders],
    folders,
    rlimits: { cpuSeconds: Math.ceil(limits.milliseconds / 1000) + 3, dataBytes: (limits.megabytes + 704) * 2 ** 20, fileBytes: 0 },
  };
}

/** The program that runs a job in QuickJS; a container runs the same one with its own Node. */
export function wasmProgram({ limits }: Pick<SandboxJob, 'limits'>, node?: string): EngineProgram {
  return engineProgram('engine', { folders: quickjsFolders(), limits, node });
}

/** Python has its own thread in that process, because it cannot check the time itself. */
function pythonWasmProgram({ limits }: Pick<SandboxJob, 'limits'>): EngineProgram {
  const ownText = dirname(createRequire(import.meta.url).resolve('@micropython/micropython-webassembly-pyscript/micropython.wasm'));
  return engineProgram('python-engine', { folders: [here, rootPackage, ownText], may: ['--allow-worker'], limits });
}

type Engine = Pick<Backend, 'name' | 'language'> & {
  readonly program: (job: SandboxJob) => EngineProgram;
  /** A file that tests whether the engine starts. */
  readonly trial: Readonly<Record<string, string>>;
};

const standing = new Map<string, Promise<Isolation | null>>();

/** The strongest isolation in which an engine starts and replies, tested once per process. */
async function findIsolation({ program, trial }: Engine): Promise<Isolation | null> {
  const job: SandboxJob = {
    entry: Object.keys(trial)[0]!,
    tests: null,
    input: null,
    files: trial,
    tools: [],
    limits: withDefaults(),
    seed: 0,
    clock: 0,
  };
  try {
    for (const isolation of possibleIsolations()) {
      const end = await runProcess(isolate(program(job), isolation), job, { call: async () => null });
      if (end.kind === 'done') return isolation;
    }
  } catch {
    // The package is not installed.
  }
  return null;
}

function createEngine(engine: Engine, { isolation: wanted = true }: BackendSettings): Backend {
  const { name, language, program } = engine;
  const isolation = async () => {
    const isolation = standing.get(name) ?? findIsolation(engine);
    standing.set(name, isolation);
    const strongest = await isolation;
    return wanted || strongest === null ? strongest : 'none';
  };
  return {
    name,
    language,
    async probe() {
      const matchingIsolation = await isolation();
      const inside = matchingIsolation === 'own-user' || matchingIsolation === 'namespaces';
      // The engine itself offers no network, files, or processes; without isolation a bug in the engine could.
      const holds = {
        network: matchingIsolation !== null,
        files: matchingIsolation !== null,
        memory: matchingIsolation !== null,
        cpu: matchingIsolation !== null,
        fork: matchingIsolation !== null,
      };
      if (matchingIsolation === null) return { ok: false, holds, why: 'the engine did not start in a separate Node process.' };
      if (inside) return { ok: true, holds };
      return {
        ok: true,
        holds,
        why: `by the engine, Node's permissions and the parent's kill alone; ${adviceFor(wanted)}.`,
      };
    },
    async execute(job, host) {
      return runProcess(isolate(program(job), (await isolation()) ?? 'none'), job, host);
    },
  };
}

/** How to add isolation by the operating system. */
function adviceFor(isWanted: boolean): string {
  if (!isWanted) return 'isolation by the operating system is turned off in the settings';
  const missing = ['bwrap', 'prlimit'].filter((program) => findProgram(program) === null);
  const packages = missing.map((program) => (program === 'bwrap' ? 'bubblewrap' : 'prlimit (util-linux)'));
  if (packages.length > 0) return `install ${packages.join(' and ')} for isolation around them`;
  return 'bubblewrap and prlimit are installed, but this engine does not start inside bubblewrap on this machine';
}

export function createWasm(settings: BackendSettings): Backend {
  return createEngine({ name: 'wasm', language: 'javascript', program: wasmProgram, trial: { 'a.js': 'export default 1' } }, settings);
}

export function createPythonWasm(settings: BackendSettings): Backend {
  return createEngine({ name: 'python-wasm', language: 'python', program: pythonWasmProgram, trial: { 'a.py': 'result = 1' } }, settings);
}
