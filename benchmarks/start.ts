/** @file What a user waits for and carries before anything is played: the package, what it needs to run, and the first command. */

import '@ludus-agents/servers/internal/kinds';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findUnusedLibraries } from '../packages/agents/src/runtimes/unused-libraries.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const root = join(import.meta.dirname, '..');
const mb = 2 ** 20;

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> };
  const isOurs = ({ dev, devOptional, link }: Locked) => dev === true || devOptional === true || link === true;
  // What a package of development brings for its platform, npm marks as optional alone.
  const platforms = new Set(Object.values(packages).flatMap((item) => (isOurs(item) ? Object.keys(item.optionalDependencies ?? {}) : [])));
  const installed = Object.entries(packages).filter(
    ([path, item]) => path.startsWith('node_modules/') && !isOurs(item) && !platforms.has(path.replace(/^.*node_modules\//, '')),
  );
  const sizes = installed.map(([path, { optional = false }]) => ({ path, optional, bytes: ownSize(join(root, path)) }));
  const sum = (of: readonly { readonly bytes: number }[]) => of.reduce((total, { bytes }) => total + bytes, 0) / mb;
  const largest = sizes
    .filter(({ optional }) => optional)
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 4);
  const named = largest.map(({ path, bytes }) => `${path.replace(/^.*node_modules\//, '')} ${(bytes / mb).toFixed(0)}`).join(', ');
  const unused = findUnusedLibraries(join(root, 'node_modules', 'onnxruntime-node'));
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { size: number; unpackedSize: number }[];
  return [
    { name: 'package.tarball_mb', value: packed.size / mb, unit: 'MB', note: `${(packed.unpackedSize / mb).toFixed(1)} MB unpacked` },
    { name: 'dependencies.mb', value: sum(sizes.filter(({ optional }) => !optional)), unit: 'MB', note: 'what every user gets' },
    {
      name: 'optional.mb',
      value: sum(sizes.filter(({ optional }) => optional)),
      unit: 'MB',
      note: `left out by --omit=optional; in MB: ${named}`,
    },
    {
      name: 'optional.foreign_mb',
      value: sum(unused),
      unit: 'MB',
      note: `libraries of onnxruntime-node that are never loaded on ${process.platform} ${process.arch}; a build removes them`,
    },
    ...['--version', 'list environments'].map(
      (command): Figure => ({
        name: `cli ${command}`,
        value: fastest(command.split(' '), sizeOf(flags, 'times', 5, 1)),
        unit: 'CPU s',
        goal: '≤ 2',
      }),
    ),
  ];
}

/** CPU-seconds of the fastest of several, as the command itself counts them when it ends. */
function fastest(args: readonly string[], times: number): number {
  const telling = `process.on("exit", () => process.stderr.write("\\ncpu " + (process.cpuUsage().user + process.cpuUsage().system)))`;
  const hook = `data:text/javascript,${encodeURIComponent(telling)}`;
  const seconds = Array.from({ length: times }, () => {
    const { stderr } = spawnSync(process.execPath, ['--import', hook, join(root, 'packages/ludus-agents/bin/ludus.js'), ...args], {
      cwd: root,
      encoding: 'utf8',
    });
    return Number(/cpu (\d+)$/.exec(stderr)?.[1]) / 1e6;
  });
  return Math.min(...seconds);
}

/** Bytes of a package without those that are installed inside it. */
function ownSize(folder: string): number {
  return existsSync(folder) ? filesIn(folder).reduce((sum, file) => sum + statSync(file).size, 0) : 0;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(join(folder, entry.name));
    return entry.isFile() ? [join(folder, entry.name)] : [];
  });
}
