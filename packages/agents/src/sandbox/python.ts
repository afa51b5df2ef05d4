/**
 * @file Python: an interpreter of this machine, always inside bubblewrap. Without bubblewrap Python is not available, because nothing else
 * would isolate it.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Backend, BackendSettings } from './backends.ts';
import { findProgram, type IsolatedProgram, type Isolation, isolate, possibleIsolations, writableFolder } from './isolation.ts';
import type { SandboxJob } from './job.ts';
import { withDefaults } from './limits.ts';
import { runProcess } from './process.ts';
import { pythonRunner } from './python-runner.ts';
import type { SandboxProbe } from './sandbox.ts';

interface Interpreter {
  readonly file: string;
  readonly folders: readonly string[];
}

/** The address space that an empty interpreter uses. */
const bareMegabytes = 64;

export function pythonArguments(folder: string): readonly string[] {
  return ['-s', '-B', '-X', 'utf8', '-c', pythonRunner, folder];
}

function pythonProgram({ file, folders }: Interpreter, { limits, seed }: Pick<SandboxJob, 'limits' | 'seed'>): IsolatedProgram {
  const bytes = 4 * limits.fileCharacters + 2 ** 20;
  return {
    command: [file, ...pythonArguments(writableFolder)],
    readable: folders,
    writableBytes: bytes,
    env: { PYTHONHASHSEED: String(seed >>> 0) },
    rlimits: {
      cpuSeconds: Math.ceil(limits.milliseconds / 1000),
      addressBytes: (limits.megabytes + bareMegabytes) * 2 ** 20,
      fileBytes: bytes,
      processes: 1,
    },
  };
}

const matches = new Map<string, Promise<{ readonly interpreter: Interpreter; readonly isolation: Isolation } | string>>();

/** The interpreter and an isolation in which it works, or why there is none. */
async function findPython(name: string) {
  const shim = findProgram(name);
  if (shim === null) return `there is no ${name} here; install Python 3 or name one.`;
  if (findProgram('bwrap') === null)
    return 'Python runs inside bubblewrap only, and there is none; install the package "bubblewrap" (Linux).';
  try {
    const observation = await promisify(execFile)(
      shim,
      ['-I', '-c', 'import sys, json; print(json.dumps([sys.executable, sys.base_prefix, sys.prefix]))'],
      { timeout: 30_000 },
    );
    const [file, ...prefixes] = JSON.parse(observation.stdout) as [string, ...string[]];
    // Folders under /usr are already included.
    const folders = [...new Set(prefixes)].filter((folder) => folder !== '/usr' && !folder.startsWith('/usr/'));
    const interpreter = { file, folders };
    const job: SandboxJob = {
      entry: 'a.py',
      tests: null,
      input: null,
      files: { 'a.py': 'result = 1' },
      tools: [],
      limits: withDefaults(),
      seed: 0,
      clock: 0,
    };
    for (const isolation of possibleIsolations().filter((isolation) => isolation === 'own-user' || isolation === 'namespaces')) {
      const end = await runProcess({ ...isolate(pythonProgram(interpreter, job), isolation), isKeyed: true }, job, {
        call: async () => null,
      });
      if (end.kind === 'done' && end.text === '1') return { interpreter, isolation };
    }
    return 'bubblewrap is there but does not work: this machine allows no namespaces (a closed container), or is missing prlimit.';
  } catch (thrown) {
    return `${name} did not start: ${(thrown as Error).message.split('\n')[0]}`;
  }
}

export function createPython({ python = 'python3' }: BackendSettings): Backend {
  const ready = () => {
    const before = matches.get(python) ?? findPython(python);
    matches.set(python, before);
    return before;
  };
  return {
    name: 'python',
    language: 'python',
    async probe(): Promise<SandboxProbe> {
      const place = await ready();
      const all = (value: boolean) => ({ network: value, files: value, memory: value, cpu: value, fork: value });
      if (typeof place === 'string') return { ok: false, holds: all(false), why: place };
      // The system does not count root's processes, so they are only limited under another user.
      if (place.isolation === 'own-user' || process.getuid?.() !== 0) return { ok: true, holds: all(true) };
      return {
        ok: true,
        holds: { ...all(true), fork: false, memory: false },
        why: 'root may start any number of processes, each with its own memory; install setpriv (util-linux) or use another user.',
      };
    },
    async execute(job, host) {
      const place = await ready();
      if (typeof place === 'string') throw new Error(place);
      return runProcess({ ...isolate(pythonProgram(place.interpreter, job), place.isolation), isKeyed: true }, job, host);
    },
  };
}
