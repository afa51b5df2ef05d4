/** @file GGUF files on this machine: by path, or by a short name or address that is downloaded once, checked, and kept in the cache. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { Fault, hash, isFault, sentenceOf } from '../core/index.ts';

/** Small chat models that run on a laptop's processor, from the makers' own collections. */
export const shelf: Readonly<Record<string, string>> = {
  'qwen2.5-0.5b': 'https://huggingface.co/Qwen/Qwen2.5-0.5B-Instruct-GGUF/resolve/main/qwen2.5-0.5b-instruct-q4_k_m.gguf',
  'qwen2.5-1.5b': 'https://huggingface.co/Qwen/Qwen2.5-1.5B-Instruct-GGUF/resolve/main/qwen2.5-1.5b-instruct-q4_k_m.gguf',
  'qwen3-0.6b': 'https://huggingface.co/Qwen/Qwen3-0.6B-GGUF/resolve/main/Qwen3-0.6B-Q8_0.gguf',
  'qwen3-1.7b': 'https://huggingface.co/Qwen/Qwen3-1.7B-GGUF/resolve/main/Qwen3-1.7B-Q8_0.gguf',
  'smollm2-360m': 'https://huggingface.co/HuggingFaceTB/SmolLM2-360M-Instruct-GGUF/resolve/main/smollm2-360m-instruct-q8_0.gguf',
  'smollm2-1.7b': 'https://huggingface.co/HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF/resolve/main/smollm2-1.7b-instruct-q4_k_m.gguf',
};

export type EnvVars = Readonly<Record<string, string | undefined>>;

export interface FindOptions {
  readonly env?: EnvVars;
  readonly signal?: AbortSignal | undefined;
  /** Hears how many bytes have come, and of how many if that is known. */
  readonly onProgress?: ((bytes: number, of: number | null) => void) | undefined;
}

/** Where models and answers are kept: LUDUS_CACHE, or ~/.cache/ludus. */
export function cacheFolder(env: EnvVars = process.env): string {
  return env['LUDUS_CACHE'] || join(homedir(), '.cache', 'ludus');
}

/** The path of a GGUF named as PATH, SHORT-NAME or ADDRESS, each with "#sha256=HEX" after it if its bytes are to be checked. */
export async function findGguf(name: string, options: FindOptions = {}): Promise<string> {
  const [place, wanted] = name.split('#sha256=') as [string, string | undefined];
  if (wanted !== undefined && !/^[0-9a-f]{64}$/i.test(wanted))
    throw new Fault('input', `A sha256 has 64 hex digits, but "${wanted}" has ${wanted.length} characters.`);
  const url = Object.hasOwn(shelf, place) ? (shelf[place] as string) : /^https?:\/\//.test(place) ? place : null;
  if (url !== null) return download(url, { ...options, wanted: wanted?.toLowerCase() });
  if (!(await exists(place)))
    throw new Fault('input', `There is no GGUF file at ${place}; give a path, an address, or one of ${Object.keys(shelf).join(', ')}.`);
  if (wanted !== undefined) {
    const digest = createHash('sha256');
    for await (const chunk of createReadStream(place)) digest.update(chunk as Uint8Array);
    checkHash(place, digest.digest('hex'), wanted.toLowerCase());
  }
  return place;
}

/** Where a download is kept: its address and hash are in the name, so that neither can be mistaken for another. */
function shelfPath(url: string, wanted: string | undefined, env?: EnvVars): string {
  return join(cacheFolder(env), 'models', `${hash([url, wanted ?? '']).slice(0, 8)}-${basename(new URL(url).pathname)}`);
}

async function download(url: string, options: FindOptions & { readonly wanted: string | undefined }): Promise<string> {
  const path = shelfPath(url, options.wanted, options.env);
  if (await exists(path)) return path;
  await mkdir(join(path, '..'), { recursive: true });
  const part = `${path}.${process.pid}.part`;
  try {
    checkHash(url, await fetchInto(part, url, options), options.wanted);
    await rename(part, path);
    return path;
  } catch (thrown) {
    await rm(part, { force: true });
    if (isFault(thrown) || options.signal?.aborted) throw thrown;
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    throw new Fault(
      'model',
      `${basename(url)} is not in ${cacheFolder(options.env)} and could not be downloaded from ${new URL(url).host} (${sentenceOf(cause)}); bring the file here some other way and name it by its path, gguf:PATH.`,
    );
  }
}

/** Downloads into a file and gives its sha256. A file that is cut short or is no GGUF is refused. */
async function fetchInto(part: string, url: string, { signal, onProgress }: FindOptions): Promise<string> {
  const response = await fetch(url, { ...(signal === undefined ? {} : { signal }) });
  if (!response.ok || response.body === null) throw new Error(`it answered ${response.status}`);
  const said = Number(response.headers.get('content-length') ?? Number.NaN);
  const size = response.headers.has('content-encoding') || !Number.isFinite(said) ? null : said;
  const digest = createHash('sha256');
  const file = await open(part, 'w');
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      if (bytes === 0 && Buffer.from(chunk.subarray(0, 4)).toString('latin1') !== 'GGUF')
        throw new Error('it sent something that is no GGUF');
      await file.writeFile(chunk);
      digest.update(chunk);
      bytes += chunk.length;
      onProgress?.(bytes, size);
    }
  } finally {
    await file.close();
  }
  if (bytes === 0 || (size !== null && bytes !== size)) throw new Error(`it sent ${bytes} bytes of ${size ?? 'an unknown number'}`);
  return digest.digest('hex');
}

function checkHash(what: string, found: string, wanted: string | undefined): void {
  if (wanted !== undefined && found !== wanted)
    throw new Fault('input', `${what} should have the sha256 ${wanted}, but has ${found}; it is not the file that was meant.`);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
