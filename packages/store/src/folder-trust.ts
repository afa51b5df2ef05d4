/**
 * @file Which folders may configure Ludus. A configuration chooses models, addresses and keys, and may be a program; a folder that was
 * downloaded brings one along. So it is used only where this installation created the folder's data, or the user has said so once.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { Fault, isObject, type JsonObject, parseJson } from '@ludus-agents/kernel/internal/core/index';
import { makeFolderSync, writeFileAtomicSync } from './files/atomic-file.ts';
import { homeFolder, OwnMarks } from './own-mark.ts';
import type { WorkingFolder } from './stores.ts';

/** The files of a configuration, one of which a folder may have. */
export const configFiles = ['ludus.config.ts', 'ludus.config.mts', 'ludus.config.mjs', 'ludus.config.js', 'ludus.config.json'] as const;

/** The file of a folder's configuration, or null. */
export function findConfig(cwd: string): string | null {
  const present = configFiles.filter((file) => existsSync(join(cwd, file)));
  if (present.length > 1) throw new Fault('input', `This folder has ${present.join(' and ')}. Keep only one of them.`);
  return present[0] ?? null;
}

/** Why a folder is trusted; null where it is not. */
export function folderTrust({ cwd, env }: WorkingFolder): 'variable' | 'user' | 'own' | null {
  const folder = realOr(cwd);
  const named = (env['LUDUS_TRUST'] ?? process.env['LUDUS_TRUST'] ?? '').split(delimiter).filter((path) => isAbsolute(path));
  if (named.some((path) => isInside(folder, realOr(path)))) return 'variable';
  if (trustedFolders({ env })[folder] === contentOf(cwd)) return 'user';
  return new OwnMarks({ cwd, env }).has(markFor(cwd)) ? 'own' : null;
}

/** Rejects a folder whose settings are not trusted. `what` is the file to be used. */
export function checkFolder(place: WorkingFolder, what: string): void {
  if (folderTrust(place) !== null) return;
  throw new Fault(
    'input',
    `${what} came with this folder and is not trusted yet: it can choose models and addresses, use your keys, and run code. Read it, then trust it with "ludus config allow ${place.cwd}". In CI set LUDUS_TRUST=${place.cwd}.`,
    { code: 'E_NOT_ALLOWED' },
  );
}

/** Trusts the settings of a folder as they are now, or takes that back. A change of a file ends it. */
export function trustFolder({ cwd, env }: WorkingFolder, change: 'add' | 'remove'): string {
  const folder = realOr(cwd);
  const { [folder]: _, ...others } = trustedFolders({ env });
  const file = trustFile({ env });
  makeFolderSync(dirname(file), 0o700);
  const list = change === 'add' ? { ...others, [folder]: contentOf(cwd) } : others;
  writeFileAtomicSync(file, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 });
  return folder;
}

/** The folders that the user trusts, each with the hash of its settings. */
export function trustedFolders(place: Pick<WorkingFolder, 'env'>): Readonly<Record<string, string>> {
  try {
    const list = parseJson(readFileSync(trustFile(place), 'utf8'));
    return isObject(list)
      ? (Object.fromEntries(Object.entries(list as JsonObject).filter(([, hash]) => typeof hash === 'string')) as Record<string, string>)
      : {};
  } catch {
    return {};
  }
}

/** Trusts a folder for this process and its child processes: for programs, whose author has chosen the folder. */
export function trustInProcess(cwd: string): void {
  const named = (process.env['LUDUS_TRUST'] ?? '').split(delimiter).filter((path) => path !== '');
  const folder = resolve(cwd);
  if (!named.includes(folder)) process.env['LUDUS_TRUST'] = [...named, folder].join(delimiter);
}

/** Creates a working folder's data folder if missing, and records that this installation created it. */
export function makeDataFolder(place: WorkingFolder): void {
  const data = join(place.cwd, '.ludus');
  if (existsSync(data)) return;
  mkdirSync(data, { recursive: true });
  noteOwnFolder(place);
}

/**
 * Records that this installation created the data of a folder: a configuration that its user writes later then needs no confirmation. If a
 * configuration already exists, the folder may come from elsewhere, and each version of the file needs confirmation.
 */
export function noteOwnFolder(place: WorkingFolder): void {
  if (findConfig(place.cwd) === null) new OwnMarks(place).add(markFor(place.cwd));
}

function markFor(cwd: string): readonly string[] {
  return ['folder', realOr(cwd)];
}

function trustFile(place: Pick<WorkingFolder, 'env'>): string {
  return join(homeFolder(place), 'trusted.json');
}

/** The hash of everything in a folder that configures Ludus. */
function contentOf(cwd: string): string {
  const digest = createHash('sha256');
  for (const file of [...configFiles, join('.ludus', 'keys.json')]) {
    const path = join(cwd, file);
    digest.update(`${file}\0${existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'none'}\n`);
  }
  return digest.digest('hex');
}

function isInside(folder: string, parent: string): boolean {
  const path = relative(parent, folder);
  return path === '' || (!path.startsWith('..') && !isAbsolute(path));
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
