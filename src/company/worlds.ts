/** @file Worlds by name or from a file of the user's own. */

import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';
import { type AnyEnvironment, Fault, sentenceOf } from '../core/index.ts';
import { environment, environmentNames } from '../environments/index.ts';
import { checkCode, type Source } from './consent.ts';
import { didYouMean } from './suggest.ts';

/**
 * A world: the name of a built-in one, or the path of a file that exports one (FILE#NAME where it exports several). `source` says who names
 * it, which decides whether a file is loaded.
 */
export async function worldOf(name: string, cwd: string, source: Source = 'user'): Promise<AnyEnvironment> {
  if (isPath(name)) return fromFile(name, cwd, source);
  const plain = name.split('@', 1)[0] as string;
  if (!environmentNames.includes(plain))
    throw new Fault(
      'input',
      `There is no environment "${name}".${didYouMean(plain, environmentNames)} "ludus list environments" shows all.`,
    );
  return environment(name);
}

/** The id that episodes of a world carry, from its name, its file, or the id itself: of another version, or of a file that is gone. */
export async function worldIdOf(typed: string, cwd: string): Promise<string> {
  return typed.includes('@') ? typed : (await worldOf(typed, cwd)).id;
}

/** True for what can only be a file: it has a slash, or ends like a program. */
export function isPath(name: string): boolean {
  return /[\\/]|\.[cm]?[jt]s(#|$)/.test(name);
}

async function fromFile(name: string, cwd: string, source: Source): Promise<AnyEnvironment> {
  const [path, wanted] = name.split('#', 2) as [string, string | undefined];
  const file = checkCode(path, source, { cwd, env: process.env });
  const found = Object.entries(await load(file)).filter((entry): entry is [string, AnyEnvironment] => isEnvironment(entry[1]));
  const byName = found.filter(([key]) => wanted === undefined || key === wanted);
  const [first, second] = [...new Map(byName.map(([key, world]) => [world, key])).keys()];
  if (first === undefined) {
    const missing = wanted === undefined ? 'an environment' : `an environment "${wanted}"`;
    throw new Fault('input', `${path} does not export ${missing}: an object with id, about, knobs, task, seats, start and step.`);
  }
  if (second !== undefined)
    throw new Fault('input', `${path} exports several environments; name one of ${found.map(([key]) => `${path}#${key}`).join(', ')}.`);
  return first;
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  resolveOurselves();
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (thrown) {
    if ((thrown as { code?: string }).code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new Fault(
        'input',
        `Node ${process.versions.node} cannot load ${file}; use Node 22.18 or later, or compile it to JavaScript first.`,
      );
    const at = await placeOf(thrown, file);
    throw new Fault('input', `${at} could not be loaded: ${sentenceOf(thrown)}`, { cause: thrown });
  }
}

/** "FILE:LINE" of what was thrown while a file was loaded; the file alone where nothing says where. */
async function placeOf(thrown: unknown, file: string): Promise<string> {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  const name = file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const line = new RegExp(`${name}:(\\d+)`).exec(stack)?.[1];
  if (line !== undefined) return `${file}:${line}`;
  // For JavaScript, Node prints the place of a syntax error and keeps it to itself; checking the file again tells it.
  if (!(thrown instanceof SyntaxError)) return file;
  const { spawnSync } = await import('node:child_process');
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 10_000 });
  const found = new RegExp(`${name}:(\\d+)`).exec(stderr ?? '')?.[1];
  return found === undefined ? file : `${file}:${found}`;
}

let hooked = false;

/** A world file says `from 'ludus'` wherever it lies: it gets the Ludus that runs it, installed beside it or not. */
function resolveOurselves(): void {
  if (hooked || typeof nodeModule.registerHooks !== 'function') return;
  hooked = true;
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const doors: Readonly<Record<string, string>> = {
    ludus: '../index',
    'ludus/characters': '../characters',
    'ludus/scoring': '../scores',
    'ludus/learning': '../lessons',
    'ludus/servers': '../doors',
    'ludus/core': '../core/index',
    'ludus/environments': '../environments/index',
  };
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      const door = Object.hasOwn(doors, specifier) ? doors[specifier] : undefined;
      return door === undefined
        ? next(specifier, context)
        : { url: new URL(`${door}.${extension}`, import.meta.url).href, shortCircuit: true };
    },
  });
}

function isEnvironment(value: unknown): value is AnyEnvironment {
  if (typeof value !== 'object' || value === null) return false;
  const world = value as Partial<Record<keyof AnyEnvironment, unknown>>;
  return typeof world.id === 'string' && ['task', 'seats', 'start', 'step'].every((name) => typeof world[name as 'task'] === 'function');
}
