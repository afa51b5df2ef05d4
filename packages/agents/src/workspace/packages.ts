/** @file Packages in node_modules: the resolution of names, and the installed versions. */

import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly exports?: unknown;
  readonly main?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The folder of a package as resolved from a file in a folder; null if it is not installed. */
export function findPackage(name: string, from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const home = join(folder, 'node_modules', name);
    if (existsSync(join(home, 'package.json'))) return home;
    if (folder === dirname(folder)) return null;
  }
}

/** The file that an import of a package resolves to; with a path such as './lists', for an import of that path. */
export function packageEntry(home: string, path = '.'): string {
  const { exports, main = 'index.js' } = readManifest(home);
  const target = exports === undefined ? (path === '.' ? main : path) : (resolveExport(exports, path) ?? (path === '.' ? main : path));
  const endings = ['', '.js', '.json', '/index.js'].map((ending) => join(home, `${target}${ending}`));
  return endings.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) ?? join(home, target);
}

/** True for files installed by npm. A linked package is a folder elsewhere, which its owner edits. */
export function isInstalled(file: string): boolean {
  return file.includes(`${sep}node_modules${sep}`);
}

/** The package folder of an installed file. */
export function homeOf(file: string): string {
  return linear(/^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/).exec(file)?.[1] ?? dirname(file);
}

/** The identity of packages: installed ones by name and version, keyed by folder; linked ones by their files. */
export interface PackageParts {
  readonly versions: ReadonlyMap<string, string>;
  readonly linked: readonly string[];
}

/** A package with all its dependencies, except those for which `isLeftOut` is true. */
export function describePackage(home: string, isLeftOut: (name: string) => boolean): PackageParts {
  const versions = new Map<string, string>();
  const linked: string[] = [];
  const queue = [home];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const real = realpathSync(next);
    if (versions.has(real)) continue;
    if (!isInstalled(real)) {
      const entry = packageEntry(real);
      if (existsSync(entry)) linked.push(realpathSync(entry));
      continue;
    }
    const manifest = manifestOr(real);
    versions.set(
      real,
      manifest === null ? (real.split(/[\\/]node_modules[\\/]/).at(-1) as string) : `${manifest.name}@${manifest.version}`,
    );
    const { dependencies, optionalDependencies, peerDependencies } = manifest ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const dependency = isLeftOut(name) ? null : findPackage(name, real);
      if (dependency !== null) queue.push(dependency);
    }
  }
  return { versions, linked };
}

/** The first entry point that Node would use for an import; null if the package does not export the path. */
function resolveExport(exports: unknown, path: string): string | null {
  const isTable = typeof exports === 'object' && exports !== null && Object.keys(exports).some((key) => key.startsWith('.'));
  if (!isTable) return path === '.' ? resolveCondition(exports) : null;
  const table = exports as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(table, path)) return resolveCondition(table[path]);
  for (const [key, target] of Object.entries(table)) {
    const [start = '', end] = key.split('*');
    if (end === undefined || !path.startsWith(start) || !path.endsWith(end) || path.length < key.length) continue;
    return resolveCondition(target)?.replaceAll('*', path.slice(start.length, path.length - end.length)) ?? null;
  }
  return null;
}

function resolveCondition(entry: unknown): string | null {
  if (typeof entry === 'string') return entry;
  if (typeof entry !== 'object' || entry === null) return null;
  for (const [condition, target] of Object.entries(entry))
    if (['node', 'import', 'module-sync', 'default'].includes(condition)) {
      const match = resolveCondition(target);
      if (match !== null) return match;
    }
  return null;
}

function readManifest(home: string): Manifest {
  const where = `The package ${home.split(/[\\/]node_modules[\\/]/).at(-1)}`;
  let text: string;
  try {
    text = readFileSync(join(home, 'package.json'), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${where} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  return jsonFrom(text, where) as Manifest;
}

/** Null if it cannot be read. */
function manifestOr(home: string): Manifest | null {
  try {
    return readManifest(home);
  } catch {
    return null;
  }
}
