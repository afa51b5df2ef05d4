/** @file Containers: the same engines inside docker or podman, with gVisor if its runtime is named. The image must be on the machine. */

import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { Backend, BackendSettings } from './backends.ts';
import { findProgram, writableFolder } from './isolation.ts';
import type { SandboxJob } from './job.ts';
import { runProcess } from './process.ts';
import { pythonArguments } from './python.ts';
import type { SandboxProbe } from './sandbox.ts';
import { wasmProgram } from './wasm.ts';

const images = { python: 'python:3.13-alpine', javascript: 'node:24-alpine' } as const;

export interface ContainerSettings extends Pick<BackendSettings, 'image' | 'runtime'> {
  readonly language: 'javascript' | 'python';
}

/** The arguments after `docker`: no network, no capabilities, no other processes, and only a bounded in-memory folder is writable. */
export function containerArguments(
  { language, image = images[language], runtime }: ContainerSettings,
  { limits, seed }: Pick<SandboxJob, 'limits' | 'seed'>,
  name: string,
): readonly string[] {
  const wasm = language === 'javascript' ? wasmProgram({ limits }, 'node') : null;
  // The engine itself needs memory in addition to the code's.
  const megabytes = limits.megabytes + (wasm === null ? 64 : 192);
  const seconds = Math.ceil(limits.milliseconds / 1000) + (wasm === null ? 0 : 3);
  return [
    ...['run', '--rm', '--interactive', '--init=false', '--pull', 'never', '--name', name],
    ...[
      '--network',
      'none',
      '--read-only',
      '--cap-drop',
      'ALL',
      '--security-opt',
      'no-new-privileges',
      '--user',
      '65534:65534',
      '--ipc',
      'private',
    ],
    ...['--memory', `${megabytes}m`, '--memory-swap', `${megabytes}m`, '--cpus', '1', '--pids-limit', wasm === null ? '1' : '32'],
    ...['--ulimit', `cpu=${seconds}:${seconds + 1}`, '--ulimit', 'core=0', '--ulimit', 'nofile=64:64'],
    ...['--tmpfs', `${writableFolder}:rw,nosuid,nodev,noexec,mode=1777,size=${4 * limits.fileCharacters + 2 ** 20}`],
    ...(runtime === undefined ? [] : ['--runtime', runtime]),
    ...(wasm?.folders ?? []).flatMap((folder) => ['--volume', `${folder}:${folder}:ro`]),
    ...['--env', 'TZ=UTC', '--env', `PYTHONHASHSEED=${seed >>> 0}`, '--workdir', '/'],
    ...['--entrypoint', wasm === null ? 'python3' : 'node', image],
    ...(wasm === null ? pythonArguments(writableFolder) : wasm.command.slice(1)),
  ];
}

export function createContainer({ engine, language = 'python', image, runtime }: BackendSettings): Backend {
  const settings = { language, ...(image === undefined ? {} : { image }), ...(runtime === undefined ? {} : { runtime }) };
  const program = engine === undefined ? (findProgram('docker') ?? findProgram('podman')) : findProgram(engine);
  // The engine's client needs its own settings, such as its socket; the container gets none of them.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      (item): item is [string, string] => /^(PATH|HOME|DOCKER_.*|CONTAINER_.*|XDG_.*)$/.test(item[0]) && item[1] !== undefined,
    ),
  );
  return {
    name: 'container',
    language,
    async probe(): Promise<SandboxProbe> {
      const all = (value: boolean) => ({ network: value, files: value, memory: value, cpu: value, fork: value });
      if (program === null)
        return { ok: false, holds: all(false), why: `there is no ${engine ?? 'docker or podman'} here; install one or name it.` };
      const wanted = image ?? images[language];
      try {
        await promisify(execFile)(program, ['image', 'inspect', wanted], { timeout: 30_000, env });
        return { ok: true, holds: all(true) };
      } catch (thrown) {
        const why = (thrown as { stderr?: string }).stderr?.trim().split('\n')[0] || (thrown as Error).message.split('\n')[0];
        return {
          ok: false,
          holds: all(false),
          why: `${program} has no image "${wanted}" (${why}); pull it, since the sandbox loads nothing by itself.`,
        };
      }
    },
    async execute(job, host) {
      if (program === null) throw new Fault('tool', 'No container engine was found.');
      const name = `ludus-${randomUUID()}`;
      // Killing the client leaves the container behind, so it is killed by name.
      const afterKill = () =>
        void spawn(program, ['kill', name], { stdio: 'ignore', env })
          .on('error', () => undefined)
          .unref();
      return runProcess(
        { command: [program, ...containerArguments(settings, job, name)], env, isKeyed: language === 'python', afterKill },
        job,
        host,
      );
    },
  };
}
