/**
 * @file The user's programs: loads each in its current version on disk, together with everything that it imports.
 *
 * Node reports a program's imports while it loads (`module.registerHooks`). Later imports and reads, such as `import('./x.ts')`, are taken
 * from its source; a computed name makes the program impossible to fingerprint. Node before 22.15 has no hooks: there only the source is
 * read, and an edited program is reloaded only by the next process.
 */

import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Fault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { withSlashes } from '@ludus-agents/store/internal/files/portable-path';
import { version } from '@ludus-agents/store/internal/version';
import { realOr } from './consent.ts';
import { fileReadsIn, outsideCallsIn, reachesOutside, variablesIn } from './file-reads.ts';
import { describePackage, findPackage, homeOf, isInstalled, type PackageParts, packageEntry } from './packages.ts';

/** Files that each file has imported, as Node resolved them. */
const imported = new Map<string, Set<string>>();

/** The last load of each program: its digest, and its address in the module cache. */
const loaded = new Map<string, { readonly digest: string; readonly url: string }>();

/** The content of each file, and the version of each installed package by its folder, when Node cached it. */
const cached = new Map<string, string>();

/** The exports of a user's program. All programs are loaded here; one that has changed since it was loaded is loaded again. */
export async function importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  addHooks();
  if (/\.[cm]?ts$/.test(file) && !canStripTypes())
    throw new Fault(
      'input',
      `Node ${process.versions.node} does not read TypeScript (${file}). Use Node 22.18 or later, or a JavaScript file such as .mjs.`,
    );
  const url = addressOf(file);
  try {
    const exported = await import(/* @vite-ignore */ url);
    // Its imports are known only after loading.
    const program = filesOfProgram(file);
    loaded.set(file, { digest: digestFiles(file, program), url });
    for (const [path, content] of [...(url.includes('?') ? [] : program.files), ...program.packages])
      if (!cached.has(path)) cached.set(path, content);
    return exported;
  } catch (thrown) {
    const at = await placeOf(thrown, file);
    throw new Fault('input', `${at} could not be loaded: ${sentenceOf(thrown)}`, { cause: thrown });
  }
}

/** Modules are cached by address, so a changed one gets a new address; the hook gives its imports the same one. */
function addressOf(file: string): string {
  const before = loaded.get(file);
  const plain = pathToFileURL(file).href;
  if (typeof nodeModule.registerHooks !== 'function') return plain;
  const program = filesOfProgram(file);
  const isCached = ([path, content]: readonly [string, string]) => (cached.get(path) ?? content) === content;
  const replaced = [...program.packages].find((entry) => !isCached(entry));
  if (replaced !== undefined)
    throw new Fault('input', `${cached.get(replaced[0])} is loaded, but ${replaced[1]} is installed now. Restart Ludus to load it.`, {
      code: 'E_STALE',
    });
  const digest = digestFiles(file, program);
  if (digest === before?.digest) return before.url;
  // Another program may have loaded an earlier version of an import.
  if (before === undefined && [...program.files].every(isCached)) return plain;
  const { cache } = nodeModule.createRequire(import.meta.url);
  for (const path of program.files.keys()) delete cache[path];
  return `${plain}?${mark}${digest}`;
}

const mark = 'version=';

/** "FILE:LINE" of an error thrown while a file was loaded; only the file if the line is unknown. */
async function placeOf(thrown: unknown, file: string): Promise<string> {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  const name = file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const lineNumber = linear(new RegExp(`${name}(?:\\?\\w+=\\w+)?:(\\d+)`)).exec(stack)?.[1];
  if (lineNumber !== undefined) return `${file}:${lineNumber}`;
  // For JavaScript, Node prints the location of a syntax error but does not add it to the error; checking the file again returns it.
  if (!(thrown instanceof SyntaxError)) return file;
  const { spawnSync } = await import('node:child_process');
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 10_000 });
  const printed = linear(new RegExp(`${name}:(\\d+)`)).exec(stderr ?? '')?.[1];
  return printed === undefined ? file : `${file}:${printed}`;
}

/** Node reports whether it strips types; releases that do not report it need a flag. */
function canStripTypes(): boolean {
  const { typescript } = process.features as { readonly typescript?: string | false };
  return typeof typescript === 'string';
}

/** Package names under which programs import Ludus; internal entries are excluded. */
const ownNames = /^(?:ludus-agents|@ludus-agents\/[\w-]+)(?:\/(?!internal$)[\w-]+)?$/;

function isOwnName(name: string): boolean {
  return ownNames.test(name);
}

let hooked = false;

/** Imports of 'ludus-agents' resolve to the running Ludus, whether or not it is installed next to the program. Imports are recorded. */
function addHooks(): void {
  if (hooked || typeof nodeModule.registerHooks !== 'function') return;
  hooked = true;
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      if (isOwnName(specifier)) {
        try {
          return next(specifier, { ...context, parentURL: import.meta.url });
        } catch {
          // A bundle does not contain our packages: the file uses the Ludus installed next to it.
          return next(specifier, context);
        }
      }
      const resolved = next(specifier, context);
      const parent = fileAt(context.parentURL);
      const target = fileAt(resolved.url);
      if (parent === null || target === null || isOurs(parent) || isInstalled(parent)) return resolved;
      imported.set(parent, (imported.get(parent) ?? new Set()).add(target));
      const query = new URL(context.parentURL as string).search;
      const isFresh = query.startsWith(`?${mark}`) && !isOurs(target) && !isInstalled(target) && !resolved.url.includes('?');
      return isFresh ? { ...resolved, url: `${resolved.url}${query}` } : resolved;
    },
    // A package is "commonjs" by default (as npm init writes); a .ts file with import and export is still a module.
    load(url, context, next) {
      const typed = context.format === 'commonjs-typescript' && url.startsWith('file:') && !url.includes('/node_modules/');
      const isModule = typed && linear(/^\s*(?:import|export)\b/m).test(readFileSync(fileURLToPath(url), 'utf8'));
      return next(url, isModule ? { ...context, format: 'module-typescript' } : context);
    },
  });
}

function fileAt(url: string | undefined): string | null {
  return url?.startsWith('file:') === true ? fileURLToPath(url) : null;
}

const sources = fileURLToPath(new URL('../../../', import.meta.url));

/** Whether a file belongs to Ludus itself, which counts by the version of the package. */
function isOurs(file: string): boolean {
  return file.startsWith(sources);
}

// ── the contents of a program ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A program with all its imports: its files by content, installed packages by name and version, variables by value. */
interface ProgramFiles {
  readonly files: ReadonlyMap<string, string>;
  /** Names with versions, by their folders. */
  readonly packages: ReadonlyMap<string, string>;
  readonly variables: readonly string[];
  /** Dependencies of the program that a hash cannot cover, each in a few words. */
  readonly unknown: readonly string[];
}

/** A program with more files is not an agent; it probably reads the whole disk. */
const mostFiles = 5000;

function filesOfProgram(file: string, loaded: ReadonlyMap<string, ReadonlySet<string>> = imported): ProgramFiles {
  const files = new Map<string, string>();
  const packages = new Map<string, string>();
  const variables = new Set<string>();
  const unknown: string[] = [];
  const queue = [realOr(file)];
  for (let next = queue.pop(); next !== undefined && files.size < mostFiles; next = queue.pop()) {
    if (isOurs(next)) packages.set('ludus', `ludus@${version}`);
    else if (isInstalled(next)) {
      const { versions, linked } = describePackage(homeOf(next), isOwnName);
      for (const [home, label] of versions) packages.set(home, label);
      queue.push(...linked);
    } else if (!files.has(next)) {
      files.set(next, digestFile(next));
      const references = referencesIn(next);
      for (const [home, label] of references.packages) packages.set(home, label);
      for (const name of references.variables) if (process.env[name] !== undefined) variables.add(`${name}=${process.env[name]}`);
      for (const reason of references.unknown) unknown.push(`${reason} in ${basename(next)}`);
      queue.push(...references.files, ...(loaded.get(next) ?? []));
    }
  }
  return { files, packages, variables: [...variables].sort(), unknown };
}

/** A hash of a program, and its dependencies outside the hash. */
interface ProgramDigest {
  readonly digest: string;
  readonly unknown: readonly string[];
}

/** The hash of a program with everything that its sources name and its recorded imports. */
export function describeProgram(file: string): ProgramDigest {
  const program = filesOfProgram(file);
  return { digest: digestFiles(file, program), unknown: program.unknown };
}

/** The hash of everything that a program's sources name, or of all files of a folder; independent of whether the program was loaded. */
export function digestPath(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return digestFiles(path, filesOfProgram(path, new Map()));
  const isPart = (name: string) => !name.split(sep).some((part) => part.startsWith('.') || part === 'node_modules');
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(isPart).sort().slice(0, mostFiles);
  return digestFiles(join(path, '.'), {
    files: new Map(names.map((name) => [join(path, name), digestFile(join(path, name))])),
    packages: new Map(),
    variables: [],
  });
}

/** Files are named relative to the program, so that the hash is the same on every machine. */
function digestFiles(file: string, { files, packages, variables }: Omit<ProgramFiles, 'unknown'>): string {
  const folder = dirname(realOr(file));
  const lines = [...files].map(([path, digest]) => `${withSlashes(relative(folder, path))} ${digest}`);
  return createHash('sha256')
    .update([...lines.sort(), ...[...new Set(packages.values())].sort(), ...variables].join('\n'))
    .digest('hex')
    .slice(0, 32);
}

/** Model weights are large: for files above this size, only evenly spaced pieces are hashed. */
const sampled = { above: 256 * 2 ** 20, pieces: 64, bytes: 2 ** 16 } as const;

/** The hash of a file's content; "missing" if it cannot be read. */
export function digestFile(file: string): string {
  const digest = createHash('sha256');
  try {
    const { size } = statSync(file);
    if (size <= sampled.above) return digest.update(readFileSync(file)).digest('hex');
    digest.update(String(size));
    samplePieces(file, size, (piece) => digest.update(piece));
    return digest.digest('hex');
  } catch {
    return 'missing';
  }
}

function samplePieces(file: string, size: number, take: (piece: Uint8Array) => void): void {
  const opened = openSync(file, 'r');
  try {
    for (let i = 0; i < sampled.pieces; i++) {
      const piece = new Uint8Array(sampled.bytes);
      readSync(opened, piece, 0, sampled.bytes, Math.floor(((size - sampled.bytes) * i) / (sampled.pieces - 1)));
      take(piece);
    }
  } finally {
    closeSync(opened);
  }
}

/** A module or data file that a source names literally. */
const moduleNames = linear(/\b(?:from|import|require)\s*\(?\s*['"`]([^'"`\n]+)['"`]/g);
const dataNames = linear(/\bnew\s+URL\(\s*['"`]([^'"`\n]+)['"`]/g);
const pythonNames = linear(/^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w.]+))/gm);

interface References {
  readonly files: readonly string[];
  readonly packages: ReadonlyMap<string, string>;
  /** Names of the environment variables that the source reads. */
  readonly variables: readonly string[];
  readonly unknown: readonly string[];
}

/** Whether a file is a program in a language whose imports can be parsed. */
export function isReadable(file: string): boolean {
  return /^\.(?:[cm]?[jt]sx?|py)$/.test(extname(file));
}

const noReferences: References = { files: [], packages: new Map(), variables: [], unknown: [] };

function referencesIn(file: string): References {
  if (!isReadable(file)) return noReferences;
  const kind = extname(file);
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch {
    return noReferences;
  }
  const folder = dirname(file);
  const { files: data, unknown } = dataReadBy(source, folder, kind === '.py' ? 'python' : 'script');
  const variables = variablesIn(source, kind === '.py' ? 'python' : 'script');
  if (variables.isComputed) unknown.push('it reads environment variables whose names are computed');
  if (kind === '.py') {
    const modules = [...source.matchAll(pythonNames)].map(([, from, plain]) =>
      (from ?? plain ?? '').replace(/^\./, '').replaceAll('.', '/'),
    );
    for (const name of modules.filter((name) => reachesOutside(name, true))) unknown.push(outsideText(name.replaceAll('/', '.')));
    const imports = modules.flatMap((name) => firstFile(folder, name, ['.py', '/__init__.py']));
    return { files: [...imports, ...data], packages: new Map(), variables: variables.names, unknown };
  }
  const files = [...data];
  const packages = new Map<string, string>();
  const outside = new Set(outsideCallsIn(source));
  for (const [, name = ''] of source.matchAll(moduleNames)) {
    if (reachesOutside(name)) outside.add(name);
    if (/^\.{0,2}\//.test(name)) files.push(...firstFile(folder, name, ['', '.js', '.cjs', '.mjs', '.ts', '.json', '/index.js']));
    else if (isOwnName(name)) packages.set('ludus', `ludus@${version}`);
    else if (!nodeModule.isBuiltin(name)) {
      const { versions, linked } = packageNamed(name, folder);
      for (const [home, label] of versions) packages.set(home, label);
      files.push(...linked);
    }
  }
  for (const name of outside) unknown.push(outsideText(name));
  return { files, packages, variables: variables.names, unknown };
}

/** The files that a source names, relative to it or to the working folder, and the calls with computed file names. */
function dataReadBy(
  source: string,
  folder: string,
  language: 'script' | 'python',
): { readonly files: readonly string[]; readonly unknown: string[] } {
  const dataFile = (name: string): readonly string[] =>
    name.includes('://')
      ? []
      : ([folder, process.cwd()].map((base) => firstFile(base, name, [''])).find((files) => files.length > 0) ?? []);
  const reads = fileReadsIn(source, (name) => dataFile(name).length > 0, language);
  const names = [...reads.names, ...[...source.matchAll(dataNames)].map(([, name = '']) => name)];
  return { files: names.flatMap(dataFile), unknown: reads.computed.map((call) => `it opens a file whose name is computed: ${call}`) };
}

function outsideText(name: string): string {
  return `it can reach a server or another program: ${name}`;
}

function firstFile(folder: string, name: string, endings: readonly string[]): readonly string[] {
  const path = endings
    .map((ending) => resolve(folder, `${name}${ending}`))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  return path === undefined ? [] : [realpathSync(path)];
}

/** The dependencies of a package import: versions if it is installed, files if it is linked. */
function packageNamed(name: string, from: string): PackageParts {
  const [called = '', path = ''] = splitImport(name);
  const home = called === '' ? null : findPackage(called, from);
  if (home === null) return { versions: new Map(), linked: resolveAlias(name, from) };
  if (isInstalled(realpathSync(home))) return describePackage(home, isOwnName);
  const entry = packageEntry(home, `.${path}`);
  return { versions: new Map(), linked: existsSync(entry) ? [realpathSync(entry)] : [] };
}

/** The files behind a name in the "imports" or "exports" of the program's package.json. */
function resolveAlias(name: string, from: string): readonly string[] {
  try {
    const file = nodeModule.createRequire(join(from, 'index.js')).resolve(name);
    return isInstalled(file) ? [] : [realpathSync(file)];
  } catch {
    return [];
  }
}

/** "@scope/name" and "/path" of a package import; empty for other imports. */
function splitImport(name: string): readonly string[] {
  const parts = name.split('/');
  const length = name.startsWith('@') ? 2 : 1;
  const isNamed = parts.length >= length && parts.slice(0, length).every((part) => /^@?[\w.-]+$/.test(part) && !part.startsWith('.'));
  return isNamed ? [parts.slice(0, length).join('/'), name.slice(parts.slice(0, length).join('/').length)] : [];
}
