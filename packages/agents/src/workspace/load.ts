/**
 * @file Resolves a name for every kind.
 *
 * A name is looked up among the user's own entries in the configuration, then among the built-in entries, then as a file, then as a package
 * of the working folder. FILE#EXPORT and PACKAGE#EXPORT choose one of several exports.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, resolve, sep } from 'node:path';
import { Fault, findEntry, isObject, type Json, type Kind } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { didYouMean, distance } from '@ludus-agents/kernel/internal/core/suggest';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { readConfigIn } from './config.ts';
import { checkCode } from './consent.ts';
import { objectNamed } from './objects.ts';
import { findPackage, packageEntry } from './packages.ts';
import { importFile } from './programs.ts';
import { Trust } from './trust.ts';

/**
 * True for a name that can only be a file: it has a slash and is not a scoped package, or it has the extension of a program or a document.
 */
export function isFileName(name: string): boolean {
  return (/[\\/]/.test(name) && !scoped.test(name)) || /\.([cm]?[jt]s|json|ya?ml|toml)(#|$)/i.test(name);
}

const scoped = /^@[\w.-]+\/[\w.-]+(#|$)/;

/** Loads the named entry of a kind. The origin of the name decides whether a file is loaded. */
export async function loadEntry<T>(kind: Kind<T>, name: string, cwd: string, trust: Trust): Promise<T> {
  const namedSource = await findNamed(kind, name, cwd, trust);
  if (namedSource !== undefined) return namedSource;
  const ownKeys = Object.keys((await readConfigIn(cwd)).kinds?.[kind.name] ?? {});
  const names = [...ownKeys, ...Object.keys(await kind.entries())];
  const { environmentKind } = await import('./kinds.ts');
  const advice = findEntry(await environmentKind.entries(), name) === null ? undefined : adviceForEnvironment(kind, name);
  throw new Fault(
    'input',
    `Unknown ${kind.one} "${name}".${advice ?? `${didYouMean(name, names)} Run "ludus list ${kind.name}" to see all, or pass a file or package.`}${adviceForBuild(import.meta.dirname)}`,
    { code: 'E_UNKNOWN_NAME', details: { kind: kind.name, name } },
  );
}

/** Advice for a clone whose sources are newer than the build that is running: what was added since is unknown to it. */
export function adviceForBuild(folder: string): string {
  const [root = '', rest] = folder.split(join(sep, 'dist', 'node_modules', sep));
  const [stamp, sources] = [join(root, 'dist', '.built'), join(root, 'packages')];
  if (rest === undefined || !existsSync(stamp) || !existsSync(sources)) return '';
  const builtAt = statSync(stamp).mtimeMs;
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && file.split(sep)[1] === 'src',
  );
  const isOld = files.some((file) => statSync(join(sources, file)).mtimeMs > builtAt);
  return isOld ? ` The sources in ${root} are newer than the build that is running: run "npm run build" there to use them.` : '';
}

/** Advice if an environment is given instead of something that plays it. */
function adviceForEnvironment({ name: kind }: Kind<unknown>, name: string): string | undefined {
  if (kind === 'suites')
    return ` It is an environment: "ludus arena ${name} --agents A,B" lets agents meet in it, and "ludus new suite mine" begins a suite that can name it.`;
  return kind === 'recipes' ? ` It is an environment: "ludus train RECIPE --set training.environment=${name}" trains in it.` : undefined;
}

/** The same, or undefined if the name is unknown. A named file that is missing or invalid is a fault. */
export async function findNamed<T>(kind: Kind<T>, name: string, cwd: string, trust: Trust): Promise<T | undefined> {
  const namedObject = objectNamed(name);
  if (namedObject !== undefined) return kind.read(namedObject, name, trust);
  const ownEntry = findEntry((await readConfigIn(cwd)).kinds?.[kind.name] ?? {}, name);
  if (ownEntry !== null)
    return isFileName(ownEntry)
      ? fromFile(kind, ownEntry, { cwd, trust: Trust.configuration })
      : fromPackage(kind, ownEntry, { cwd, trust: Trust.configuration });
  const entry = findEntry(await kind.entries(), name);
  if (entry !== null) return entry.load();
  if (isFileName(name)) return fromFile(kind, name, { cwd, trust });
  // A plain word from stored data or a request is never looked up among the packages of the folder.
  return trust.right('code') === 'yes' ? fromPackage(kind, name, { cwd, trust }) : undefined;
}

/** The source of a name: a file (a program or a document), or a built-in entry. */
export type NamedSource = { readonly file: string } | { readonly builtIn: string };

/** The same lookup without loading anything; undefined if the name is unknown. */
export async function findSource(kind: Kind<unknown>, name: string, cwd: string, trust: Trust): Promise<NamedSource | undefined> {
  const configured = findEntry((await readConfigIn(cwd)).kinds?.[kind.name] ?? {}, name);
  const place = { cwd, env: process.env };
  const target = configured ?? name;
  if (configured === null && findEntry(await kind.entries(), name) !== null) return { builtIn: name };
  const [path] = parts(target);
  if (isFileName(target)) return { file: checkCode(besides(resolve(cwd, path)), configured === null ? trust : Trust.configuration, place) };
  const file = configured !== null || trust.isUser ? packageFile(path, cwd) : null;
  return file === null ? undefined : { file: checkCode(file, configured === null ? trust : Trust.configuration, place) };
}

async function fromFile<T>(kind: Kind<T>, name: string, { cwd, trust }: { readonly cwd: string; readonly trust: Trust }): Promise<T> {
  const [path, wanted] = parts(name);
  const place = { cwd, env: process.env };
  // A document is not code, but an origin that may not load a program from there may not read a document either.
  const file = checkCode(besides(resolve(cwd, path)), trust, place);
  const ending = extname(file).toLowerCase();
  if (ending !== '' && ending !== '.json' && !/^\.[cm]?[jt]s$/.test(ending))
    throw new Fault(
      'input',
      `${path}: ${ending} files are not supported. Write the ${kind.one} as JSON (.json) or as a program (.js, .mjs, .ts, .mts).`,
      {
        code: 'E_UNSUPPORTED',
        details: { path, ending, supported: ['.json', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'] },
      },
    );
  if (ending !== '.json') return await chooseExport(kind, await importFile(file), { path, wanted, trust });
  const read = readJson(file, `The ${kind.one} ${path}`);
  const value = await kind.read(read, `The ${kind.one} ${path}`, trust);
  if (value === undefined)
    throw new Fault('input', `${path} does not contain a valid ${kind.one}: expected ${kind.expects}.${slipIn(read, kind.expects)}`, {
      code: 'E_INVALID_DOCUMENT',
      details: { where: path, places: missingFields(read, kind.expects) },
    });
  return value;
}

/** A likely mistake in a file: a misspelled field, or a missing one that belongs to an existing one. */
function slipIn(value: unknown, expects: string): string {
  const inputKeys = isObject(value as Json) ? Object.keys(value as object) : [];
  const wanted = (expects.match(/[a-z]{4,}/gi) ?? []).filter((word) => !inputKeys.includes(word));
  for (const field of inputKeys) {
    const meant = wanted.find((word) => distance(field.toLowerCase(), word) <= Math.max(1, Math.floor(word.length * 0.3)));
    if (meant !== undefined) return ` It has "${field}"; did you mean "${meant}"?`;
  }
  const missing = missingFields(value, expects);
  return missing.length > 0 ? ` Add ${missing.map((field) => `"${field}"`).join(' and ')}.` : '';
}

/** The quoted fields of the expectation that the value lacks; none if it has no such field at all. */
function missingFields(value: unknown, expects: string): readonly string[] {
  const fields = [...expects.matchAll(/"(\w+)"/g)].map(([, field]) => field as string);
  const missing = fields.filter((field) => !isObject(value as Json) || !(field in (value as object)));
  return missing.length < fields.length ? missing : [];
}

/** A program's actual exports, so that the missing field can be seen. */
function cameInstead(exported: Readonly<Record<string, unknown>>, expects: string): string {
  const observations = Object.entries(exported).map(([key, value]) => {
    const fields = typeof value === 'object' && value !== null ? Object.keys(value) : null;
    const text =
      fields === null
        ? `a ${value === null ? 'null' : typeof value}`
        : fields.length === 0
          ? 'an object without fields'
          : `an object with ${fields.slice(0, 12).join(', ')}`;
    return `"${key}", ${text}`;
  });
  if (observations.length === 0) return ' It exports nothing; write "export default" before it.';
  const slips = new Set(Object.values(exported).map((value) => slipIn(value, expects)));
  return ` It exports ${observations.slice(0, 3).join('; ')}.${[...slips].join('')}`;
}

/** The file itself or, if a CommonJS package declares it as a module, the one next to it: mine.mts for mine.ts. */
function besides(file: string): string {
  const module = file.replace(/\.([jt]s)$/, '.m$1');
  return !existsSync(file) && existsSync(module) ? module : file;
}

async function fromPackage<T>(
  kind: Kind<T>,
  name: string,
  { cwd, trust }: { readonly cwd: string; readonly trust: Trust },
): Promise<T | undefined> {
  const [path, wanted] = parts(name);
  const file = packageFile(path, cwd);
  if (file === null) return undefined;
  return chooseExport(kind, await importFile(checkCode(file, trust, { cwd, env: process.env })), { path, wanted, trust });
}

/** The entry of a package in the working folder or a parent folder, or null. */
function packageFile(name: string, cwd: string): string | null {
  if (!/^(@[\w.-]+\/)?[\w-][\w.-]*$/.test(name)) return null;
  const home = findPackage(name, cwd);
  return home === null ? null : packageEntry(home);
}

interface Wanted {
  readonly path: string;
  /** The requested export. */
  readonly wanted: string | undefined;
  readonly trust: Trust;
}

/** The only export of a program that is of this kind. */
async function chooseExport<T>(kind: Kind<T>, exported: Readonly<Record<string, unknown>>, { path, wanted, trust }: Wanted): Promise<T> {
  // The same value may be exported under its name and as the default.
  const matches = new Map<unknown, { readonly key: string; readonly thing: T }>();
  for (const [key, value] of Object.entries(exported)) {
    if ((wanted !== undefined && key !== wanted) || matches.has(value)) continue;
    const loaded = await kind.read(value, `${path}#${key}`, trust);
    if (loaded !== undefined) matches.set(value, { key, thing: loaded });
  }
  const [first, ...others] = [...matches.values()];
  const what = `${/^[aeiou]/.test(kind.one) ? 'an' : 'a'} ${kind.one}`;
  if (first === undefined) {
    const { environmentKind } = await import('./kinds.ts');
    const others = await Promise.all(Object.values(exported).map((value) => environmentKind.read(value, path, trust)));
    const advice = others.some((anyEnvironment) => anyEnvironment !== undefined)
      ? (adviceForEnvironment(kind, path) ?? '')
      : cameInstead(exported, kind.expects);
    throw new Fault(
      'input',
      `${path} does not export ${wanted === undefined ? what : `${what} "${wanted}"`}: expected ${kind.expects}.${advice}`,
      { code: 'E_UNKNOWN_EXPORT', details: { file: path, exports: Object.keys(exported) } },
    );
  }
  if (others.length > 0) {
    const names = [first, ...others].map(({ key }) => `${path}#${key}`);
    throw new Fault('input', `${path} exports several ${kind.name}. Choose one of ${names.join(', ')}.`);
  }
  return first.thing;
}

function parts(name: string): readonly [string, string | undefined] {
  const cut = name.lastIndexOf('#');
  return cut < 0 ? [name, undefined] : [name.slice(0, cut), name.slice(cut + 1)];
}

function readJson(file: string, where: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${where} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  return jsonFrom(text, where);
}
