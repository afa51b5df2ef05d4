/**
 * @file GGUF files on this machine: by path, or by a short name, a hub name, or an address that is downloaded once, checked, and cached.
 */

import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Fault, hash, isFault, isObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { curatedModels } from './curated.ts';
import { downloadFile } from './download.ts';
import { fileAddress, hubFile, hubHeaders, isHubName } from './hub.ts';

export type EnvVars = Readonly<Record<string, string | undefined>>;

export interface FindOptions {
  readonly env?: EnvVars;
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes received, and the total if known. */
  readonly onProgress?: ((bytes: number, of: number | null) => void) | undefined;
}

/** The folder of models and answers: LUDUS_CACHE, or ~/.cache/ludus. */
export function cacheFolder(env: EnvVars = process.env): string {
  return env['LUDUS_CACHE'] || join(homedir(), '.cache', 'ludus');
}

/** The path of a GGUF named as PATH, SHORT-NAME, hf:NAME, or ADDRESS, each with an optional "#sha256=HEX" to check its bytes. */
export async function findGguf(name: string, options: FindOptions = {}): Promise<string> {
  const [place, wanted] = name.split('#sha256=') as [string, string | undefined];
  if (wanted !== undefined && !/^[0-9a-f]{64}$/i.test(wanted))
    throw new Fault('input', `A SHA-256 has 64 hex digits, but "${wanted}" has ${wanted.length} characters.`);
  const { env = process.env } = options;
  const knownName = readIndex(env).names[name];
  // A file already in the cache needs no request.
  if (knownName !== undefined && (await exists(knownName))) return knownName;
  const file = await remote(place, env, options.signal);
  if (file !== null) {
    const path = await download(file.url, { ...options, env, wanted: wanted?.toLowerCase() ?? file.sha256 });
    if (isHubName(place) || Object.hasOwn(curatedModels, place))
      changeIndex(env, ({ names, ...rest }) => ({ ...rest, names: { ...names, [name]: path } }));
    return path;
  }
  if (!(await exists(place)))
    throw new Fault('input', `No GGUF file at ${place}. Use a path, a URL, or one of ${Object.keys(curatedModels).join(', ')}.`);
  if (wanted !== undefined) {
    const digest = createHash('sha256');
    for await (const chunk of createReadStream(place)) digest.update(chunk as Uint8Array);
    checkHash(place, digest.digest('hex'), wanted.toLowerCase());
  }
  return place;
}

async function remote(
  place: string,
  env: EnvVars,
  signal?: AbortSignal,
): Promise<{ readonly url: string; readonly sha256?: string | undefined } | null> {
  if (Object.hasOwn(curatedModels, place)) {
    const { repo, file } = curatedModels[place]!;
    return { url: fileAddress(repo, file, env) };
  }
  if (isHubName(place)) return hubFile(place, env, signal);
  return /^https?:\/\//.test(place) ? { url: place } : null;
}

/** The index in the cache next to the files: which name is which file, and the default model. */
interface ModelIndex {
  readonly names: Readonly<Record<string, string>>;
  readonly usual?: string;
}

const indexPath = (env: EnvVars) => join(cacheFolder(env), 'models', 'index.json');

function readIndex(env: EnvVars): ModelIndex {
  try {
    const read: unknown = JSON.parse(readFileSync(indexPath(env), 'utf8'));
    const { names, usual } = (isObject(read as never) ? read : {}) as { names?: unknown; usual?: unknown };
    const retainedEntries =
      typeof names === 'object' && names !== null ? Object.entries(names).filter(([, path]) => typeof path === 'string') : [];
    return { names: Object.fromEntries(retainedEntries) as Record<string, string>, ...(typeof usual === 'string' ? { usual } : {}) };
  } catch {
    // No readable index: files are still found by their names.
    return { names: {} };
  }
}

function changeIndex(env: EnvVars, change: (index: ModelIndex) => ModelIndex): void {
  writeFileAtomicSync(indexPath(env), `${JSON.stringify(change(readIndex(env)), null, 2)}\n`);
}

/** The model most recently pulled by "ludus models pull": the default model. */
export function pulledModel(env: EnvVars = process.env): string | undefined {
  return readIndex(env).usual;
}

/** Downloads a model and makes it the default. */
export async function pullModel(name: string, options: FindOptions = {}): Promise<{ readonly name: string; readonly path: string }> {
  const { env = process.env } = options;
  const bare = name.replace(/^gguf:/, '');
  const path = await findGguf(bare, options);
  await mkdir(dirname(indexPath(env)), { recursive: true });
  changeIndex(env, (index) => ({ ...index, usual: `gguf:${bare}` }));
  return { name: `gguf:${bare}`, path };
}

/** The cache path of a download. It contains address and hash, so that files cannot be confused. */
function shelfPath(url: string, wanted: string | undefined, env?: EnvVars): string {
  return join(cacheFolder(env), 'models', `${hash([url, wanted ?? '']).slice(0, 8)}-${basename(new URL(url).pathname)}`);
}

/** Downloads in progress in this process; further callers for the same file wait for them. */
const flights = new Map<string, Promise<string>>();

async function download(
  url: string,
  options: FindOptions & { readonly env: EnvVars; readonly wanted: string | undefined },
): Promise<string> {
  const path = shelfPath(url, options.wanted, options.env);
  if (await exists(path)) return path;
  const flight = flights.get(path) ?? fetchFile(url, path, options).finally(() => flights.delete(path));
  flights.set(path, flight);
  return flight;
}

async function fetchFile(
  url: string,
  path: string,
  options: FindOptions & { readonly env: EnvVars; readonly wanted: string | undefined },
): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await downloadFile(url, path, { ...options, headers: (at) => hubHeaders(at, options.env) });
    return path;
  } catch (thrown) {
    if (isFault(thrown) || options.signal?.aborted) throw thrown;
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    const begun = await exists(`${path}.part`);
    throw new Fault(
      'model',
      `${basename(url)} is not in ${cacheFolder(options.env)} and could not be downloaded from ${new URL(url).host} (${sentenceOf(cause)}); ${begun ? 'the downloaded part is kept, so try again, or ' : ''}copy the file to this machine and use its path, gguf:PATH.`,
    );
  }
}

function checkHash(what: string, match: string, wanted: string | undefined): void {
  if (wanted !== undefined && match !== wanted)
    throw new Fault('input', `${what} has the wrong SHA-256: expected ${wanted}, got ${match}. It is not the expected file.`);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
