/** @file Environments by name or from a file of the user's own. */

import { existsSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AnyEnvironment, Fault, sentenceOf } from '../core/index.ts';
import { builtInEnvironment, environmentNames } from '../environments/index.ts';
import { readConfigIn } from './config.ts';
import type { CodeSource } from './consent.ts';
import { environmentKind } from './kinds.ts';
import { loadEntry } from './load.ts';
import { findNameResolver } from './name-resolvers.ts';

/**
 * An environment: the name or the id of a built-in one or of one in the configuration, a file that exports one (FILE#NAME where it exports several),
 * or a package; or a name of another form that a part of Ludus resolves, such as "advice:NAME", a game about any of these.
 */
export async function resolveEnvironment(name: string, cwd: string, source: CodeSource = 'user'): Promise<AnyEnvironment> {
  const resolver = await findNameResolver<AnyEnvironment>(environmentKind.name, name, cwd);
  if (resolver !== null) return resolver.resolve(name, { cwd, source });
  const plain = name.split('@', 1)[0]!;
  if (environmentNames().includes(plain)) return builtInEnvironment(name);
  const isOwnId = name !== plain && Object.hasOwn((await readConfigIn(cwd)).kinds?.[environmentKind.name] ?? {}, plain);
  if (!isOwnId) return loadEntry(environmentKind, name, cwd, source);
  // An id, as logs have it, of one that the configuration names.
  const own = await loadEntry(environmentKind, plain, cwd, source);
  if (own.id !== name) throw new Fault('input', `There is no environment "${name}"; "${plain}" of the configuration is ${own.id}.`);
  return own;
}

/**
 * The id that episodes of an environment carry, from its name, its file, or the id itself: of another version, or of a file that is gone.
 */
export async function findEnvironmentId(typed: string, cwd: string): Promise<string> {
  return typed.includes('@') ? typed : (await resolveEnvironment(typed, cwd)).id;
}

/** True for what can only be a file: it has a slash, or ends like a program. */
export function isPath(name: string): boolean {
  return /[\\/]|\.[cm]?[jt]s(#|$)/.test(name);
}

/** What a program of the user's own exports. Every program is loaded here and nowhere else. */
export async function importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  resolveOurselves();
  if (/\.[cm]?ts$/.test(file) && !canStripTypes())
    throw new Fault(
      'input',
      `Node ${process.versions.node} does not read TypeScript (${file}); use Node 22.18 or later, or name a JavaScript file such as .mjs.`,
    );
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (thrown) {
    const at = await placeOf(thrown, file);
    throw new Fault('input', `${at} could not be loaded: ${sentenceOf(thrown)}`, { cause: thrown });
  }
}

/** "FILE:LINE" of what was thrown while a file was loaded; the file alone where the line is unknown. */
async function placeOf(thrown: unknown, file: string): Promise<string> {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  const name = file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const line = new RegExp(`${name}:(\\d+)`).exec(stack)?.[1];
  if (line !== undefined) return `${file}:${line}`;
  // For JavaScript, Node prints the place of a syntax error but does not put it into the error; checking the file again gives it.
  if (!(thrown instanceof SyntaxError)) return file;
  const { spawnSync } = await import('node:child_process');
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 10_000 });
  const found = new RegExp(`${name}:(\\d+)`).exec(stderr ?? '')?.[1];
  return found === undefined ? file : `${file}:${found}`;
}

/** Node reports whether it strips types; releases that do not report it need a flag. */
function canStripTypes(): boolean {
  const { typescript } = process.features as { readonly typescript?: string | false };
  return typeof typescript === 'string';
}

let hooked = false;

/** An environment file imports from 'ludus' wherever it is: it gets the Ludus that runs it, installed next to it or not. */
function resolveOurselves(): void {
  if (hooked || typeof nodeModule.registerHooks !== 'function') return;
  hooked = true;
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const doors: Readonly<Record<string, string>> = {
    ludus: '../exports/ludus',
    'ludus/personas': '../exports/personas',
    'ludus/scoring': '../exports/scoring',
    'ludus/learning': '../exports/learning',
    'ludus/servers': '../exports/servers',
    'ludus/testing': '../exports/testing',
  };
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      const door = Object.hasOwn(doors, specifier) ? doors[specifier] : undefined;
      const ours = door === undefined ? null : new URL(`${door}.${extension}`, import.meta.url);
      // In a bundle our files are not there: the file gets the Ludus that is installed beside it.
      return ours === null || !existsSync(ours) ? next(specifier, context) : { url: ours.href, shortCircuit: true };
    },
    // A package is "commonjs" by default (npm init writes that); a .ts file with import and export in it is a module all the same.
    load(url, context, next) {
      const typed = context.format === 'commonjs-typescript' && url.startsWith('file:') && !url.includes('/node_modules/');
      const isModule = typed && /^\s*(?:import|export)\b/m.test(readFileSync(fileURLToPath(url), 'utf8'));
      return next(url, isModule ? { ...context, format: 'module-typescript' } : context);
    },
  });
}
