/**
 * @file Keys for models: read from the environment or, if missing there, from a file that only its owner can read.
 *
 * A key is never stored in a store, never printed, and sent only to its server; this module only reports whether it exists. A key may be
 * bound to an origin, e.g. "https://models.example.org:8000": then it is sent only there.
 */

import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { folderTrust, makeDataFolder, trustFolder } from '@ludus-agents/store/internal/folder-trust';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import { aiProviders } from '../models/ai-sdk.ts';
import { dialectPlaces } from '../models/dialects/index.ts';
import { addressKey, addressPlace, originOf, originVariable } from '../models/key-origins.ts';

/** The variables of keys, and the purpose of each. */
export const keyNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(dialectPlaces).map(([kind, { keys }]) => [keys[0], `models named ${kind}/…`])),
  OPENAI_API_KEY: 'models named openai/… and responses/…',
  [addressKey]: `servers named by their address, at the origins in ${addressPlace}`,
  ...Object.fromEntries(Object.entries(aiProviders).map(([provider, { keyFrom }]) => [keyFrom, `models named ${provider}/…`])),
};

export interface KeyState {
  readonly name: string;
  readonly about: string;
  readonly from: 'environment' | 'file' | null;
}

type Variables = Record<string, string | undefined>;

const usual = '.ludus/keys.json';

/** Adds the file's keys to the environment if they are missing there; returns a sentence if the file cannot be trusted. */
export function loadKeys({ cwd, env }: WorkingFolder): string | null {
  const refused = refusalOf(cwd);
  if (refused !== null) return refused;
  if (folderTrust({ cwd, env }) === null)
    return `The keys in ${usual} came with this folder and are not used; if you know them, "ludus config allow ${cwd}" trusts the folder.`;
  for (const [name, key] of Object.entries(keysIn(cwd))) {
    const variable = variableOf(name);
    if ((env[variable] ?? '') === '') (env as Variables)[variable] = key;
  }
  return null;
}

/** Which keys exist and their source; never their values. */
export function keyStates({ cwd, env }: WorkingFolder): readonly KeyState[] {
  const saved = refusalOf(cwd) === null ? keysIn(cwd) : {};
  const origins = Object.keys(saved).filter(isOrigin);
  return [...Object.entries(keyNames), ...origins.map((origin) => [origin, 'the server there'] as const)].map(([name, about]) => {
    const value = env[variableOf(name)] ?? '';
    return { name, about, from: value === '' ? null : saved[name] === value ? 'file' : 'environment' };
  });
}

/** Saves a key in the file and uses it from now on; null deletes it. */
export function saveKey({ cwd, env }: WorkingFolder, name: string, key: string | null): void {
  if (!isKeyName(name))
    throw new Fault(
      'input',
      `Unknown key "${name.slice(0, 60)}". Available: ${Object.keys(keyNames).join(', ')}, or an origin such as https://models.example.org:8000, without a path.`,
      { code: 'E_UNKNOWN_FIELD' },
    );
  if (key !== null && !linear(/^[\x21-\x7e]{1,500}$/).test(key))
    throw new Fault('input', `A key for ${name} must have 1 to 500 printable ASCII characters without spaces.`);
  const refused = refusalOf(cwd);
  if (refused !== null) throw new Fault('input', refused);
  const trusted = folderTrust({ cwd, env });
  const { [name]: before, ...others } = trusted === null ? {} : keysIn(cwd);
  makeDataFolder({ cwd, env });
  write(cwd, key === null ? others : { ...others, [name]: key });
  // The user has just written it, so its contents are the user's own.
  if (folderTrust({ cwd, env }) === null) trustFolder({ cwd, env }, 'add');
  // The process may change its own variables; models read them at every call.
  const variables = env as Variables;
  const variable = variableOf(name);
  if (key !== null) variables[variable] = key;
  else if (before !== undefined && variables[variable] === before) delete variables[variable];
}

function isOrigin(name: string): boolean {
  return originOf(name) === name;
}

function isKeyName(name: string): boolean {
  return Object.hasOwn(keyNames, name) || isOrigin(name);
}

function variableOf(name: string): string {
  return isOrigin(name) ? originVariable(name) : name;
}

function keysIn(cwd: string): Readonly<Record<string, string>> {
  const file = resolve(cwd, usual);
  if (!existsSync(file)) return {};
  const read = jsonFrom(readFileSync(file, 'utf8'), file) as JsonObject | null;
  const knownEntries = Object.entries(read ?? {}).filter(([name, key]) => isKeyName(name) && typeof key === 'string');
  return Object.fromEntries(knownEntries) as Record<string, string>;
}

/**
 * Why the file is not read: other users on this machine could read it too. Windows has no such modes, and protects a user's files by
 * default.
 */
function refusalOf(cwd: string): string | null {
  const file = resolve(cwd, usual);
  if (process.platform === 'win32' || !existsSync(file) || (statSync(file).mode & 0o077) === 0) return null;
  return `The keys in ${usual} are not used, because others can read that file; "chmod 600 ${usual}" makes it private.`;
}

/** The mode is set before the first byte is written, in a new file next to the old one. */
function write(cwd: string, keys: Readonly<Record<string, string>>): void {
  const file = resolve(cwd, usual);
  mkdirSync(dirname(file), { recursive: true });
  writeFileAtomicSync(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
}
