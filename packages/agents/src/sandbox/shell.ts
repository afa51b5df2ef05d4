/**
 * @file A shell for commands written by a model: `sh` in a container, or inside bubblewrap if there is no container engine. Each command
 * starts a fresh process with the given files in an in-memory folder; returns its output and the text files it leaves.
 */

import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { findProgram, isolate, possibleIsolations, writableFolder } from './isolation.ts';
import { toVirtualPath } from './virtual-path.ts';

export type ShellResult = {
  /** Output and errors together, in order. */
  readonly out: string;
  readonly code: number;
  readonly files: Readonly<Record<string, string>>;
};

export interface Shell {
  /** Its container, and its restrictions, as a phrase. */
  readonly limits: string;
  run(files: Readonly<Record<string, string>>, command: string, signal?: AbortSignal): Promise<ShellResult>;
}

export const shellKinds = ['container', 'bubblewrap'] as const;
export type ShellKind = (typeof shellKinds)[number];

const [seconds, megabytes, fileBytes, mostOutput] = [60, 1024, 16 * 2 ** 20, 200_000];

/** The program of a shell, ready to read a script from its input. */
interface ShellProgram {
  readonly command: readonly string[];
  readonly third?: Buffer;
  afterKill?(): void;
}

/** Opens the named shell, or the strongest that this machine supports. */
export async function openShell({
  kind,
  image,
}: {
  readonly kind?: ShellKind | undefined;
  readonly image?: string | undefined;
} = {}): Promise<Shell> {
  const engine = findProgram('docker') ?? findProgram('podman');
  const wanted = image ?? 'python:3.13-alpine';
  const hasImage = engine !== null && kind !== 'bubblewrap' && (await isImagePresent(engine, wanted));
  if (hasImage)
    return createShell(
      () => containerProgram(engine, wanted),
      `sh in a container of ${wanted}, without network; ${seconds} seconds and ${megabytes} MB a command, text files are kept`,
    );
  if (kind === 'container')
    throw new Fault(
      'tool',
      engine === null
        ? 'No docker or podman was found. Install one, or use "shell:bubblewrap".'
        : `${engine} has no image "${wanted}". Pull or build it first.`,
      {
        code: 'E_NO_SHELL',
        details: { image: wanted, engine },
      },
    );
  const isolation = possibleIsolations().find((possible) => possible === 'own-user' || possible === 'namespaces');
  if (isolation === undefined || findProgram('sh') === null)
    throw new Fault(
      'tool',
      'A shell needs docker, podman, or bubblewrap with prlimit, and this machine has none of them. For simple JavaScript, use "scripted:shell".',
      {
        code: 'E_NO_SHELL',
        details: { image: wanted, engine },
      },
    );
  const folders = await programFolders();
  const missing = image === undefined ? '' : `, with the programs of this machine in place of the image ${image}`;
  return createShell(
    () => bubblewrapProgram(isolation, folders),
    `sh inside bubblewrap, without network and without installing packages${missing}; ${seconds} seconds and ${megabytes} MB a process, text files are kept`,
  );
}

async function isImagePresent(engine: string, image: string): Promise<boolean> {
  return promisify(execFile)(engine, ['image', 'inspect', image], { timeout: 30_000 }).then(
    () => true,
    () => false,
  );
}

/** The folders of Python and Node, if they are outside the system folders. */
async function programFolders(): Promise<{ readonly readable: readonly string[]; readonly path: readonly string[] }> {
  const node = dirname(realpathSync(process.execPath));
  const python = findProgram('python3');
  const prefix =
    python === null
      ? ''
      : await promisify(execFile)(python, ['-I', '-c', 'import sys; print(sys.base_prefix)'], { timeout: 30_000 }).then(
          ({ stdout }) => stdout.trim(),
          () => '',
        );
  const isOutside = (folder: string) => folder !== '' && folder !== '/usr' && !folder.startsWith('/usr/');
  const folders = [node, prefix].filter(isOutside);
  return {
    readable: ['/bin', ...folders].filter((folder) => existsSync(folder)),
    path: [node, ...(prefix === '' ? [] : [`${prefix}/bin`])],
  };
}

function bubblewrapProgram(
  isolation: 'own-user' | 'namespaces',
  { readable, path }: Awaited<ReturnType<typeof programFolders>>,
): ShellProgram {
  return isolate(
    {
      command: [findProgram('sh') as string],
      readable,
      writableBytes: 4 * fileBytes,
      env: { PATH: [...path, '/usr/local/bin', '/usr/bin', '/bin'].join(':'), HOME: writableFolder, LANG: 'C.UTF-8' },
      rlimits: { cpuSeconds: seconds, dataBytes: megabytes * 2 ** 20, fileBytes, processes: 64 },
    },
    isolation,
  );
}

function containerProgram(engine: string, image: string): ShellProgram {
  const name = `ludus-${randomUUID()}`;
  const flags = [
    'run',
    '--rm',
    '--interactive',
    '--pull',
    'never',
    '--name',
    name,
    '--network',
    'none',
    '--read-only',
    '--cap-drop',
    'ALL',
  ];
  const limits = [
    '--memory',
    `${megabytes}m`,
    '--memory-swap',
    `${megabytes}m`,
    '--cpus',
    '1',
    '--pids-limit',
    '64',
    '--user',
    '65534:65534',
  ];
  const folder = ['--tmpfs', `${writableFolder}:rw,nosuid,nodev,mode=1777,size=${4 * fileBytes}`, '--env', `HOME=${writableFolder}`];
  return {
    command: [engine, ...flags, ...limits, '--security-opt', 'no-new-privileges', ...folder, '--entrypoint', 'sh', image],
    // Killing the client leaves the container behind, so it is killed by name.
    afterKill: () =>
      void spawn(engine, ['kill', name], { stdio: 'ignore' })
        .on('error', () => undefined)
        .unref(),
  };
}

function createShell(open: () => ShellProgram, limits: string): Shell {
  return {
    limits,
    async run(files, command, signal) {
      signal?.throwIfAborted();
      const key = randomUUID();
      const { out, isTimeout } = await runScript(open(), scriptFor(files, command, key), signal);
      const [, status, printed = '', listing = ''] = out.split(`${key}\n`);
      if (status === undefined)
        return {
          out: isTimeout ? `The command took longer than ${seconds} seconds.` : `The shell ended without a result. ${out.slice(-300)}`,
          code: isTimeout ? 124 : 125,
          files,
        };
      return { out: decode(printed), code: Number(status.trim()) || 0, files: filesIn(listing) };
    },
  };
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const decode = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');

/** Writes the files, runs the command with its output in a file, and prints the results as base64, so that they cannot be confused. */
function scriptFor(files: Readonly<Record<string, string>>, command: string, key: string): string {
  const written = Object.entries(files).flatMap(([path, text]) => {
    if (toVirtualPath(path) !== path) return [];
    const lines = (
      Buffer.from(text)
        .toString('base64')
        .match(/.{1,1000}/g) ?? []
    ).join('\n');
    return [`mkdir -p ${quote(dirname(path))} && base64 -d > ${quote(path)} <<'END'\n${lines}\nEND`];
  });
  return `cd ${writableFolder} && mkdir work .out && cd work || exit 1
${written.join('\n')}
sh -c ${quote(command)} > ../.out/printed 2>&1 < /dev/null
status=$?
printf '%s\\n%s\\n%s\\n' ${key} $status ${key}
head -c ${mostOutput} ../.out/printed | base64
printf '%s\\n' ${key}
find . -type f -size -4096k ! -path '*/__pycache__/*' | head -n 2000 | while IFS= read -r file; do
printf '%s' "$file" | base64 | tr -d '\\n'; printf ' '; base64 < "$file" | tr -d '\\n'; printf '\\n'
done
exit 0
`;
}

/** The text files of a listing; other files are omitted. */
function filesIn(listing: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const row of listing.split('\n')) {
    const [name = '', content = ''] = row.split(' ');
    const path = decode(name).replace(/^\.\//, '');
    const bytes = Buffer.from(content, 'base64');
    if (path !== '' && toVirtualPath(path) === path && !bytes.includes(0)) files[path] = bytes.toString('utf8');
  }
  return files;
}

function runScript(
  { command, third, afterKill }: ShellProgram,
  script: string,
  signal?: AbortSignal,
): Promise<{ readonly out: string; readonly isTimeout: boolean }> {
  const [file, ...args] = command as [string, ...string[]];
  const running = spawn(file, args, { cwd: '/', stdio: ['pipe', 'pipe', 'pipe', third === undefined ? 'ignore' : 'pipe'] });
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let isTimeout = false;
    const kill = () => {
      running.kill('SIGKILL');
      afterKill?.();
    };
    const timer = setTimeout(
      () => {
        isTimeout = true;
        kill();
      },
      (seconds + 10) * 1000,
    );
    signal?.addEventListener('abort', kill, { once: true });
    for (const stream of [running.stdin, running.stdio[3]]) stream?.on('error', () => undefined);
    if (third !== undefined) (running.stdio[3] as NodeJS.WritableStream).end(third);
    running.stdout?.on('data', (bytes: Buffer) => chunks.push(bytes));
    running.stderr?.on('data', (bytes: Buffer) => chunks.push(bytes));
    running.on('error', (thrown) => {
      clearTimeout(timer);
      reject(new Fault('tool', `The shell did not start: ${thrown.message}`, { code: 'E_NO_SHELL' }));
    });
    running.on('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
      resolve({ out: Buffer.concat(chunks).toString('utf8'), isTimeout });
    });
    running.stdin?.end(script);
  });
}
