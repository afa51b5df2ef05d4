/** @file The checks of `ludus doctor`: this machine, the folders, the store. Other parts add their own check to the list. */

import { appendFileSync, chmodSync, existsSync, mkdtempSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { optionalPackageRoots } from '@ludus-agents/agents/internal/runtimes/optional-package';
import { runtimes } from '@ludus-agents/agents/internal/runtimes/runtimes';
import { findUnusedLibraries, megabytesOf } from '@ludus-agents/agents/internal/runtimes/unused-libraries';
import { sandboxReport } from '@ludus-agents/agents/internal/sandbox/sandbox';
import { sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { findConfig, folderTrust } from '@ludus-agents/store/internal/folder-trust';
import { checkPages, checkStoreAt, isFile, redactAddress } from '@ludus-agents/store/internal/open-store';
import { homeFolder } from '@ludus-agents/store/internal/own-mark';
import { type StoreOptions, type WorkingFolder, whereOf } from '@ludus-agents/store/internal/stores';

/** The result of one check. A `note` is worth knowing, but not a fault. */
export interface DoctorLine {
  readonly name: string;
  readonly state: 'fine' | 'note' | 'bad';
  readonly text: string;
}

export interface DoctorOptions extends StoreOptions {
  /** Fix what can be fixed: permissions are tightened, bad records go into quarantine. */
  readonly fix?: boolean;
  /** Also compare every index with its table, even in a large store. */
  readonly full?: boolean;
}

/** A check of one part of the installation. */
export type DoctorCheck = (place: WorkingFolder, options: DoctorOptions) => Promise<readonly DoctorLine[]>;

/** Every check, in report order. Other parts add a line here. */
const doctorChecks: DoctorCheck[] = [
  checkMachine,
  checkProxies,
  checkSandboxes,
  checkSettings,
  checkFolders,
  checkStoreFile,
  checkIntegrity,
  checkRecords,
];

/** Runs every check; a check that throws is reported as a fault. */
export async function examine(place: WorkingFolder, options: DoctorOptions): Promise<readonly DoctorLine[]> {
  const lines: DoctorLine[] = [];
  for (const check of doctorChecks) {
    try {
      lines.push(...(await check(place, options)));
    } catch (thrown) {
      lines.push({ name: 'check', state: 'bad', text: sentenceOf(thrown) });
    }
  }
  return lines;
}

/** The available sandboxes for model code: a backend that does not work here is a note, and a fault only for a spec that requires it. */
async function checkSandboxes(): Promise<readonly DoctorLine[]> {
  return (await sandboxReport()).map(({ backend, ok, holds, why = '' }) => {
    const current = Object.entries(holds).flatMap(([name, holding]) => (holding ? [name] : []));
    const text = ok ? `restricts ${current.join(', ')}${why === '' ? '' : `; ${why}`}` : why;
    return { name: `sandbox ${backend}`, state: ok && why === '' ? 'fine' : 'note', text };
  });
}

async function checkMachine({ cwd, env }: WorkingFolder): Promise<readonly DoctorLine[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fine = major > 22 || (major === 22 && minor >= 13);
  const node: DoctorLine = {
    name: 'node',
    state: fine ? 'fine' : 'bad',
    text: `${process.versions.node} on ${process.platform} ${process.arch}${fine ? '' : '; 22.13 or later is needed'}`,
  };
  const packages = Object.entries(runtimes).map(([runtime, { package: name, purpose }]): DoctorLine => {
    const folder = folderOfPackage(name, { cwd, env });
    if (folder === undefined) return { name, state: 'note', text: `not installed; it ${purpose} ("ludus models setup ${runtime}")` };
    const unused = name === 'onnxruntime-node' ? findUnusedLibraries(realpathSync(folder)) : [];
    return {
      name,
      state: 'fine',
      text: `installed${unused.length === 0 ? '' : `; "ludus doctor trim" removes ${megabytesOf(unused)} that are not for this machine`}`,
    };
  });
  return [node, ...packages];
}

/** Whether the settings in this folder are used. They are not loaded, because a configuration may be a program. */
async function checkSettings(place: WorkingFolder): Promise<readonly DoctorLine[]> {
  const config = findConfig(place.cwd);
  const keys = existsSync(join(place.cwd, '.ludus', 'keys.json')) ? '.ludus/keys.json' : null;
  const settings = [config, keys].filter((file) => file !== null).join(' and ');
  if (settings === '') return [];
  const reasons = { variable: 'LUDUS_TRUST names the folder', user: 'you trust the folder', own: 'its data was created here' } as const;
  const trust = folderTrust(place);
  const text =
    trust === null ? `came with the folder and is not used. Trust it with "ludus config allow ${place.cwd}"` : `is used: ${reasons[trust]}`;
  return [{ name: 'settings', state: trust === null ? 'note' : 'fine', text: `${settings} ${text}` }];
}

/** Proxies set in the environment, which `bin/ludus.js` enables in Node if possible. */
async function checkProxies({ env }: WorkingFolder): Promise<readonly DoctorLine[]> {
  const proxies = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'].filter((name) => (env[name] ?? '') !== '');
  if (proxies.length === 0) return [];
  const isUsed = env['NODE_USE_ENV_PROXY'] === '1';
  const why = env['NODE_USE_ENV_PROXY'] === undefined ? 'Node 24.14 or later is needed' : 'NODE_USE_ENV_PROXY is not 1';
  const text = isUsed
    ? `${proxies.join(' and ')} apply to calls to other machines; NO_PROXY names exceptions`
    : `${proxies.join(' and ')} are not used: ${why}`;
  return [{ name: 'proxies', state: isUsed ? 'fine' : 'note', text }];
}

/** The folder of a package installed next to Ludus, in the working folder, or by "ludus models setup". */
export function folderOfPackage(name: string, { cwd, env }: Pick<WorkingFolder, 'cwd' | 'env'>): string | undefined {
  for (const from of optionalPackageRoots(cwd, env)) {
    try {
      const manifest = findPackageJSON(name, from);
      if (manifest !== undefined) return dirname(manifest);
    } catch {
      // Not found; another place may have it.
    }
  }
  return undefined;
}

async function checkFolders(place: WorkingFolder): Promise<readonly DoctorLine[]> {
  const folders = { folder: place.cwd, settings: homeFolder(place) };
  return Object.entries(folders).map(([name, folder]) => {
    const fine = canWrite(nearest(folder));
    const why = name === 'folder' ? 'stores in it are read only' : 'nothing can be allowed; set LUDUS_HOME to a folder of yours';
    return { name, state: fine ? 'fine' : 'note', text: `${folder} ${fine ? 'can be written' : `cannot be written: ${why}`}` };
  });
}

/** The folder itself, or its nearest existing parent. */
function nearest(folder: string): string {
  let at = resolve(folder);
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

/** Tested by writing: on some file systems, such as /proc, permissions claim that files are writable although they are not. */
function canWrite(folder: string): boolean {
  try {
    rmdirSync(mkdtempSync(join(folder, '.ludus-')));
    return true;
  } catch {
    return false;
  }
}

async function checkStoreFile(place: WorkingFolder, options: DoctorOptions): Promise<readonly DoctorLine[]> {
  const where = whereOf(place, options);
  if (!isFile(where)) return [{ name: 'store', state: 'fine', text: redactAddress(where) }];
  if (!existsSync(where)) return [{ name: 'store', state: 'note', text: `none at ${where} yet` }];
  const lines: DoctorLine[] = [{ name: 'store', state: 'fine', text: `${where}, ${statSync(where).size} bytes` }];
  if (process.platform === 'win32') return lines;
  for (const file of [where, `${where}-wal`, `${where}-shm`]) {
    if (!existsSync(file) || (statSync(file).mode & 0o077) === 0) continue;
    if (options.fix === true) chmodSync(file, 0o600);
    const state = options.fix === true ? 'fine' : 'bad';
    const text =
      options.fix === true ? `only you can read ${file} now` : `others on this machine can read ${file}; --fix restricts it to you`;
    lines.push({ name: 'permissions', state, text });
  }
  return lines;
}

/** Up to this size the full check takes a few seconds. */
const fullCheckSize = 2 ** 28;

/** SQLite's own check of the file, before reading its records. */
async function checkIntegrity(place: WorkingFolder, options: DoctorOptions): Promise<readonly DoctorLine[]> {
  const where = whereOf(place, options);
  if (!isFile(where) || !existsSync(where)) return [];
  const full = options.full === true || statSync(where).size <= fullCheckSize;
  const problems = await checkPages(where, full);
  const kind = full ? 'every page and index' : 'every page; --full checks the indexes too';
  if (problems.length === 0) return [{ name: 'integrity', state: 'fine', text: `SQLite finds no damage: ${kind}` }];
  const repair = `nothing is written to it. To repair: "ludus data export --read-only -o saved.jsonl", then "ludus data import saved.jsonl --store NEW"`;
  return [
    { name: 'integrity', state: 'bad', text: `the file is damaged, so ${repair}` },
    ...problems.map((text): DoctorLine => ({ name: 'integrity', state: 'bad', text })),
  ];
}

async function checkRecords(place: WorkingFolder, options: DoctorOptions): Promise<readonly DoctorLine[]> {
  const where = whereOf(place, options);
  if (isFile(where) && !existsSync(where)) return [];
  const file = isFile(where) ? `${where}.quarantine.jsonl` : join(place.cwd, '.ludus', 'quarantine.jsonl');
  const quarantine = async (rows: readonly object[]) => {
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    appendFileSync(file, text, { mode: 0o600, flush: true });
  };
  const { counts, problems, free } = await checkStoreAt(where, options.fix === true ? quarantine : null, options);
  const observations = Object.entries(counts).map(([name, much]) => `${much} ${name}`);
  const summary: DoctorLine = { name: 'records', state: 'fine', text: `${observations.join(', ')} read` };
  const done = options.fix === true ? `; moved to ${file}` : '';
  const megabytes = Math.floor(free / 2 ** 20);
  const room = `${megabytes} MB of the file are free for new records; "ludus store copy ${where} FILE" writes a smaller one`;
  return [
    summary,
    ...(megabytes === 0 ? [] : [{ name: 'room', state: 'note', text: room } as const]),
    ...problems.map(({ record, problem }): DoctorLine => ({ name: 'record', state: 'bad', text: `${record}: ${problem}${done}` })),
  ];
}
