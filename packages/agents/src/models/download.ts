/**
 * @file Downloads one large file and can be interrupted at any time: the partial file stays next to the target and is continued if the
 * remote file is unchanged. Only a complete file with the right hash gets its name.
 */

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { isAlive } from '@ludus-agents/store/internal/files/atomic-file';
import { beginWait, type WaitProgress } from './waits.ts';

export interface DownloadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes received, and the total if known. */
  readonly onProgress?: ((bytes: number, of: number | null) => void) | undefined;
  /** The sha256 that the bytes must have. */
  readonly wanted?: string | undefined;
  /** Headers for an address; called again for each redirect target. */
  readonly headers?: (url: string) => Readonly<Record<string, string>>;
}

interface Taking extends DownloadOptions {
  readonly digest: Hash;
  readonly begun: number;
}

const mostRedirects = 5;

/** Returns the sha256 of the file at the path. */
export async function downloadFile(url: string, path: string, options: DownloadOptions): Promise<string> {
  const [part, mark] = [`${path}.part`, `${path}.part.tag`];
  const unlock = await lock(`${path}.lock`);
  try {
    const begun = await bytesOf(part);
    const first = await ask(url, begun, options);
    // If the remote file has changed, the download starts over.
    const resumed = begun > 0 && first.from === begun && first.tag !== '' && first.tag === (await readFile(mark, 'utf8').catch(() => null));
    const reply = resumed || begun === 0 ? first : await again(url, first, options);
    if (!resumed) await rm(part, { force: true });
    await writeFile(mark, reply.tag);
    await hasRoom(path, reply.size === null ? 0 : reply.size - (resumed ? begun : 0));
    const digest = createHash('sha256');
    if (resumed) for await (const chunk of createReadStream(part)) digest.update(chunk as Uint8Array);
    await takeBody(reply, part, { ...options, digest, begun: resumed ? begun : 0 });
    const sha256 = digest.digest('hex');
    const wanted = options.wanted ?? reply.sha256;
    if (wanted !== undefined && wanted !== sha256) {
      await Promise.all([part, mark].map((item) => rm(item, { force: true })));
      throw new Fault('input', `${url} has the wrong SHA-256: expected ${wanted}, got ${sha256}. It is not the expected file.`);
    }
    await rename(part, path);
    await rm(mark, { force: true });
    return sha256;
  } catch (thrown) {
    // An empty partial file is removed.
    if ((await bytesOf(part)) === 0) await Promise.all([part, mark].map((item) => rm(item, { force: true })));
    throw thrown;
  } finally {
    await unlock();
  }
}

/** Downloads the body. Without a progress callback, listeners for waits are informed. */
async function takeBody(reply: Reply, part: string, options: Taking): Promise<void> {
  if (options.onProgress !== undefined) return take(reply, part, options);
  let progress: WaitProgress = { done: options.begun, of: reply.size };
  const end = beginWait(basename(part, '.part'), 'downloads', () => progress);
  const onProgress = (done: number, of: number | null) => {
    progress = { done, of };
  };
  return take(reply, part, { ...options, onProgress }).finally(end);
}

interface Reply {
  readonly response: Response;
  /** The byte offset at which it begins. */
  readonly from: number;
  /** The size of the whole file in bytes, if known. */
  readonly size: number | null;
  /** The server's tag for this state of the file; empty if there is none. */
  readonly tag: string;
  readonly sha256: string | undefined;
}

/** Requests the file from a byte offset. Hubs include the hash of a file in the redirect to its location. */
async function ask(url: string, from: number, { signal, headers }: DownloadOptions): Promise<Reply> {
  let [at, linked, linkedSize] = [url, '', null as number | null];
  for (let hops = 0; hops <= mostRedirects; hops++) {
    const request = { ...headers?.(at), ...(from > 0 ? { range: `bytes=${from}-` } : {}) };
    const response = await fetch(at, { headers: request, redirect: 'manual', ...(signal === undefined ? {} : { signal }) });
    linked ||= bare(response.headers.get('x-linked-etag'));
    linkedSize ??= count(response.headers.get('x-linked-size'));
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      const next = new URL(location, at);
      if (next.protocol !== 'https:' && next.protocol !== new URL(url).protocol)
        throw new Error(`it redirects to ${next.protocol}//${next.host}`);
      at = next.href;
      continue;
    }
    const tag = linked || bare(response.headers.get('etag'));
    const sha256 = /^[0-9a-f]{64}$/i.test(linked) ? linked.toLowerCase() : undefined;
    if (response.status === 416) {
      // The partial file is already complete.
      await response.body?.cancel();
      return { response, from, size: linkedSize ?? from, tag, sha256 };
    }
    if (!response.ok || response.body === null) throw new Error(`it answered ${response.status}`);
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    if (response.status === 206) return { response, from: Number(start ?? -1), size: count(total ?? null), tag, sha256 };
    const contentLength = response.headers.has('content-encoding') ? null : count(response.headers.get('content-length'));
    return { response, from: 0, size: contentLength, tag, sha256 };
  }
  throw new Error(`it redirects more than ${mostRedirects} times`);
}

async function again(url: string, { response, from, ...rest }: Reply, options: DownloadOptions): Promise<Reply> {
  if (from === 0) return { response, from, ...rest };
  await response.body?.cancel().catch(() => {});
  return ask(url, 0, options);
}

async function take({ response, size }: Reply, part: string, { digest, begun, onProgress }: Taking): Promise<void> {
  let bytes = begun;
  if (response.status !== 416 && response.body !== null) {
    const file = await open(part, 'a');
    try {
      for await (const chunk of response.body) {
        if (bytes === 0 && Buffer.from(chunk.subarray(0, 4)).toString('latin1') !== 'GGUF')
          throw new NoGguf('it sent something that is not GGUF');
        await file.writeFile(chunk);
        digest.update(chunk);
        bytes += chunk.length;
        onProgress?.(bytes, size);
      }
    } catch (thrown) {
      if (thrown instanceof NoGguf) await rm(part, { force: true });
      throw thrown;
    } finally {
      await file.close();
    }
  }
  if (bytes === 0 || (size !== null && bytes !== size)) throw new Error(`it sent ${bytes} bytes of ${size ?? 'an unknown number'}`);
}

class NoGguf extends Error {}

async function hasRoom(path: string, bytes: number): Promise<void> {
  const disk = await statfs(dirname(path)).catch(() => null);
  if (disk === null || disk.bavail * disk.bsize >= bytes) return;
  const [needed, free] = [bytes, disk.bavail * disk.bsize].map((value) => (value / 1e9).toFixed(1));
  throw new Fault(
    'input',
    `The file needs ${needed} GB more, but ${dirname(path)} has ${free} GB free. Free some space, or set LUDUS_CACHE to another folder.`,
  );
}

/** One process downloads a file at a time. A lock is ignored if its process has ended. */
async function lock(path: string): Promise<() => Promise<void>> {
  for (let tries = 0; tries < 2; tries++) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      return () => rm(path, { force: true });
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== 'EEXIST') throw thrown;
      const owner = Number(await readFile(path, 'utf8').catch(() => ''));
      if (owner > 0 && isAlive(owner))
        throw new Fault('input', `Process ${owner} is already downloading this file. Wait for it, or stop it.`);
      await rm(path, { force: true });
    }
  }
  throw new Fault('input', `${path} reappears when it is removed. Is another process downloading the file?`);
}

async function bytesOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function bare(tag: string | null): string {
  return (tag ?? '').replace(/^W\//, '').replace(/^"|"$/g, '');
}

function count(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}
