/**
 * @file Reads the header of a GGUF file without loading the model: its special tokens (of the types "control" and "user defined"), its
 * context, and whether it is an adapter.
 */

import { type FileHandle, open } from 'node:fs/promises';

/** No real vocabulary or header text comes near these limits. */
const mostPairs = 100_000;
const mostItems = 2 ** 22;
const mostBytes = 2 ** 24;

const control = 3;
const userDefined = 4;

/** Bytes of the fixed types by their number; 8 is a string and 9 a list. */
const sizes: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };

/** The special tokens; none if the file is not a readable GGUF file. */
export async function readSpecialTokens(path: string): Promise<readonly string[]> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    return await specialTokensIn(new Bytes(file));
  } catch {
    // An unreadable file is reported when it is loaded.
    return [];
  } finally {
    await file?.close();
  }
}

/** Whether a file begins like a GGUF file. Libraries quote other contents in their errors, which may be private. */
export async function isGguf(path: string): Promise<boolean> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString('latin1') === 'GGUF';
  } catch {
    return false;
  } finally {
    await file?.close();
  }
}

/** Facts from a file's header: the context that its model was trained for, or the model family that it is an adapter for. */
export interface GgufGlance {
  readonly context?: number;
  readonly adapterFor?: string;
}

/** Returns no facts if the header cannot be read. */
export async function glanceAt(path: string): Promise<GgufGlance> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    return await glanceIn(new Bytes(file));
  } catch {
    return {};
  } finally {
    await file?.close();
  }
}

async function glanceIn(bytes: Bytes): Promise<GgufGlance> {
  if ((await bytes.take(4)).toString('latin1') !== 'GGUF') return {};
  await bytes.take(4);
  await bytes.count(Number.MAX_SAFE_INTEGER);
  const pairs = await bytes.count(mostPairs);
  const metadata = new Map<string, string>();
  for (let i = 0; i < pairs; i++) {
    const key = (await bytes.text()).toString();
    const type = (await bytes.take(4)).readUInt32LE();
    if (key.endsWith('.context_length') && (type === 4 || type === 5)) return { context: (await bytes.take(4)).readUInt32LE() };
    if (key.endsWith('.context_length') && (type === 10 || type === 11)) return { context: await bytes.count(Number.MAX_SAFE_INTEGER) };
    if (type === 8 && key.startsWith('general.')) metadata.set(key, (await bytes.text()).toString());
    else await skip(bytes, type, 0);
    if (metadata.get('general.type') === 'adapter' && metadata.has('general.architecture'))
      return { adapterFor: metadata.get('general.architecture')! };
  }
  return {};
}

async function specialTokensIn(bytes: Bytes): Promise<readonly string[]> {
  if ((await bytes.take(4)).toString('latin1') !== 'GGUF') return [];
  const version = (await bytes.take(4)).readUInt32LE();
  if (version < 2 || version > 3) return [];
  await bytes.count(Number.MAX_SAFE_INTEGER);
  const pairs = await bytes.count(mostPairs);
  let tokens: readonly string[] = [];
  let types: readonly number[] = [];
  for (let i = 0; i < pairs && (tokens.length === 0 || types.length === 0); i++) {
    const key = (await bytes.text()).toString();
    const type = (await bytes.take(4)).readUInt32LE();
    if (key === 'tokenizer.ggml.tokens') tokens = await strings(bytes, type);
    else if (key === 'tokenizer.ggml.token_type') types = await numbers(bytes, type);
    else await skip(bytes, type, 0);
  }
  return tokens.filter((_, i) => types[i] === control || types[i] === userDefined);
}

async function strings(bytes: Bytes, type: number): Promise<readonly string[]> {
  const { items, of } = await listHead(bytes, type);
  if (of !== 8) throw new RangeError('tokens are not strings');
  const out: string[] = [];
  for (let i = 0; i < items; i++) out.push((await bytes.text()).toString());
  return out;
}

async function numbers(bytes: Bytes, type: number): Promise<readonly number[]> {
  const { items, of } = await listHead(bytes, type);
  if (of !== 4 && of !== 5) throw new RangeError('token types are not numbers');
  const out: number[] = [];
  for (let i = 0; i < items; i++) out.push((await bytes.take(4)).readInt32LE());
  return out;
}

async function listHead(bytes: Bytes, type: number): Promise<{ readonly items: number; readonly of: number }> {
  if (type !== 9) throw new RangeError('expected a list');
  const of = (await bytes.take(4)).readUInt32LE();
  return { of, items: await bytes.count(mostItems) };
}

async function skip(bytes: Bytes, type: number, depth: number): Promise<void> {
  if (type === 8) await bytes.text();
  else if (type === 9) {
    const { items, of } = await listHead(bytes, type);
    if (depth > 4) throw new RangeError('lists are nested too deep');
    for (let i = 0; i < items; i++) await skip(bytes, of, depth + 1);
  } else {
    const size = sizes[type];
    if (size === undefined) throw new RangeError(`unknown type ${type}`);
    await bytes.take(size);
  }
}

/** Reads a file from its beginning, piece by piece. */
class Bytes {
  readonly #file: FileHandle;
  #piece: Buffer = Buffer.alloc(0);
  #at = 0;
  #position = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async take(length: number): Promise<Buffer> {
    if (length > mostBytes) throw new RangeError('a string is too long');
    if (this.#piece.length - this.#at < length) await this.#fill(length);
    this.#at += length;
    return this.#piece.subarray(this.#at - length, this.#at);
  }

  async count(most: number): Promise<number> {
    const value = (await this.take(8)).readBigUInt64LE();
    if (value > BigInt(most)) throw new RangeError('too many entries');
    return Number(value);
  }

  async text(): Promise<Buffer> {
    return this.take(await this.count(mostBytes));
  }

  async #fill(length: number): Promise<void> {
    const left = this.#piece.subarray(this.#at);
    const more = Buffer.alloc(Math.max(length, 2 ** 16));
    const { bytesRead } = await this.#file.read(more, 0, more.length, this.#position);
    this.#position += bytesRead;
    this.#piece = Buffer.concat([left, more.subarray(0, bytesRead)]);
    this.#at = 0;
    if (this.#piece.length < length) throw new RangeError('the file ends too early');
  }
}
