/** @file Environments by name or from the user's files. */

import { builtInEnvironment, environmentNames, isReplacedEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type AnyEnvironment, Fault } from '@ludus-agents/kernel/internal/core/index';
import { readConfigIn } from './config.ts';
import { environmentKind } from './kinds.ts';
import { loadEntry } from './load.ts';
import { findNameResolver } from './name-resolvers.ts';
import type { Trust } from './trust.ts';

/**
 * An environment: the name or id of a built-in or configured one, a file that exports one (FILE#NAME if it exports several), or a package;
 * or a name that another part of Ludus resolves, such as "advice:NAME", a game about any of these.
 */
export async function resolveEnvironment(name: string, cwd: string, trust: Trust): Promise<AnyEnvironment> {
  const resolver = await findNameResolver<AnyEnvironment>(environmentKind.name, name, cwd);
  if (resolver !== null) return resolver.resolve(name, { cwd, trust });
  const plain = name.split('@', 1)[0]!;
  if (environmentNames().includes(plain)) return builtInEnvironment(name);
  const isConfigured = Object.hasOwn((await readConfigIn(cwd)).kinds?.[environmentKind.name] ?? {}, plain);
  if (!isConfigured && isReplacedEnvironment(plain)) return builtInEnvironment(name);
  const isOwnId = name !== plain && isConfigured;
  if (!isOwnId) return loadEntry(environmentKind, name, cwd, trust);
  // An id, as in logs, of an environment in the configuration.
  const anyEnvironment = await loadEntry(environmentKind, plain, cwd, trust);
  if (anyEnvironment.id !== name)
    throw new Fault('input', `Unknown environment "${name}". The configuration defines "${plain}" as ${anyEnvironment.id}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  return anyEnvironment;
}

/** The id in episodes of an environment, from its name, its file, or the id itself: even of another version, or of a missing file. */
export async function findEnvironmentId(typed: string, cwd: string, trust: Trust): Promise<string> {
  return typed.includes('@') ? typed : (await resolveEnvironment(typed, cwd, trust)).id;
}

/** True if it can only be a file: it has a slash, or the extension of a program. */
export function isPath(name: string): boolean {
  return /[\\/]|\.[cm]?[jt]s(#|$)/.test(name);
}
