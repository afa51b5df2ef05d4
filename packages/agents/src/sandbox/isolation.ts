/**
 * @file Isolation of an engine by the operating system: bubblewrap (namespaces) and prlimit, if this machine has them.
 *
 * Bubblewrap hides the network, other processes, and all files except the named ones. Only an optional in-memory folder of bounded size is
 * writable. As root the engine runs under its own user, so that limits on processes apply.
 */

import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { EngineProcess } from './process.ts';
import { seccompFilter } from './seccomp.ts';

export interface IsolatedProgram {
  readonly command: readonly string[];
  /** Files and folders it may read; they keep their paths. */
  readonly readable: readonly string[];
  /** The size of the in-memory folder at `writableFolder`; if omitted, there is none. */
  readonly writableBytes?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly rlimits: RLimits;
}

export interface RLimits {
  readonly cpuSeconds: number;
  readonly dataBytes?: number;
  readonly addressBytes?: number;
  readonly fileBytes: number;
  readonly processes?: number;
}

/** The isolation of an engine: full, with a separate user or a mapped one; rlimits alone; or none. */
export type Isolation = 'own-user' | 'namespaces' | 'rlimits' | 'none';

export const writableFolder = '/box';
const devices = ['/dev/null', '/dev/urandom'];

/** Kinds of isolation to try here, the strongest first. Starting an engine shows whether one works. */
export function possibleIsolations(): readonly Isolation[] {
  if (findProgram('prlimit') === null) return ['none'];
  if (findProgram('bwrap') === null) return ['rlimits', 'none'];
  const root = process.getuid?.() === 0 && findProgram('setpriv') !== null;
  return [...(root ? (['own-user'] as const) : []), 'namespaces', 'rlimits', 'none'];
}

export function isolate({ command, readable, writableBytes, env = {}, rlimits }: IsolatedProgram, isolation: Isolation): EngineProcess {
  const inner = isolation === 'none' ? command : [findProgram('prlimit') as string, ...rlimitFlags(rlimits), '--', ...command];
  if (isolation === 'none' || isolation === 'rlimits') return { command: inner };
  const seccomp = seccompFilter();
  const user = ownUser();
  const identity =
    isolation === 'own-user'
      ? [
          '--unshare-ipc',
          '--unshare-pid',
          '--unshare-net',
          '--unshare-uts',
          '--unshare-cgroup-try',
          '--cap-drop',
          'ALL',
          '--cap-add',
          'CAP_SETUID',
          '--cap-add',
          'CAP_SETGID',
        ]
      : ['--unshare-all', '--unshare-user', '--uid', '65534', '--gid', '65534', '--cap-drop', 'ALL'];
  const drop =
    isolation === 'own-user'
      ? [findProgram('setpriv') as string, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs', '--']
      : [];
  const outer = [
    findProgram('bwrap') as string,
    ...identity,
    ...['--new-session', '--die-with-parent', '--clearenv', '--hostname', 'sandbox'],
    ...Object.entries({ TZ: 'UTC', ...env }).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['/usr', '/lib', '/lib64', '/etc/ld.so.cache', '/nix/store'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...foldersAbove([...devices, ...readable]).flatMap((path) => ['--perms', '0755', '--dir', path]),
    ...devices.flatMap((path) => ['--dev-bind', path, path]),
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...(writableBytes === undefined ? [] : ['--perms', '0777', '--size', String(writableBytes), '--tmpfs', writableFolder]),
    ...(seccomp === null ? [] : ['--seccomp', '3']),
    ...['--remount-ro', '/', '--chdir', '/', '--'],
    ...drop,
    ...inner,
  ];
  return seccomp === null ? { command: outer } : { command: outer, third: seccomp };
}

/** Parent folders, which bubblewrap would otherwise create for root alone. */
function foldersAbove(paths: readonly string[]): readonly string[] {
  const above = (path: string): string[] =>
    dirname(path) === path || dirname(path) === '/' ? [] : [...above(dirname(path)), dirname(path)];
  return [...new Set(paths.flatMap(above))].filter((path) => !/^\/(usr|lib|lib64)(\/|$)/.test(path));
}

function rlimitFlags({ cpuSeconds, dataBytes, addressBytes, fileBytes, processes }: RLimits): string[] {
  return [
    // First a signal that can be handled; a second later one that cannot be caught.
    `--cpu=${cpuSeconds}:${cpuSeconds + 1}`,
    `--fsize=${fileBytes}`,
    '--core=0',
    '--nofile=64',
    '--msgqueue=0',
    ...(dataBytes === undefined ? [] : [`--data=${dataBytes}`]),
    ...(addressBytes === undefined ? [] : [`--as=${addressBytes}`]),
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
  ];
}

let users = process.pid;

/** A user id that is unlikely to be in use, because processes are counted per user. */
function ownUser(): number {
  return 20_000 + (users++ % 40_000);
}

const knownEntries = new Map<string, string | null>();

export function findProgram(name: string): string | null {
  const before = knownEntries.get(name);
  if (before !== undefined) return before;
  const places = name.includes('/')
    ? [name]
    : [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/bin'].map((folder) => join(folder, name));
  const place = places.find(isExecutable) ?? null;
  knownEntries.set(name, place);
  return place;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
