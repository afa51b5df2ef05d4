/**
 * @file A small zip reader and writer for untrusted files: stored and deflated entries only, with hard limits on everything.
 *
 * Declared sizes are not trusted: inflating stops at the limit whatever the directory claims, entries may not overlap, and names that could
 * escape the folder are rejected.
 */

import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { Fault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

export interface ZipLimits {
  readonly entries: number;
  readonly entryBytes: number;
  readonly totalBytes: number;
  /** The largest compression ratio of an entry over a megabyte. */
  readonly ratio: number;
}

export const zipLimits: ZipLimits = { entries: 2000, entryBytes: 64 * 2 ** 20, totalBytes: 256 * 2 ** 20, ratio: 200 };

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

const endSize = 22;
const directorySize = 46;
const localSize = 30;
const smallEnough = 2 ** 20;

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

/** All files of an archive by name; folders are left out. */
export function unzip(bytes: Uint8Array, limits: ZipLimits = zipLimits): ReadonlyMap<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries = directoryOf(bytes, view, limits);
  const files = new Map<string, Uint8Array>();
  let total = 0;
  let free = 0;
  for (const entry of [...entries].sort((a, b) => a.offset - b.offset)) {
    if (entry.offset < free) throw refusedFault('its entries overlap');
    const start = dataStart(view, entry);
    free = start + entry.packed;
    if (free > bytes.length) throw refusedFault(`"${entry.name}" reaches beyond the end of the file`);
    if (entry.name.endsWith('/')) continue;
    const file = unpackEntry(bytes.subarray(start, free), entry, limits);
    total += file.length;
    if (total > limits.totalBytes) throw refusedFault(`it unpacks to more than ${limits.totalBytes} bytes`);
    if (files.has(entry.name)) throw refusedFault(`it holds "${entry.name}" twice`);
    files.set(entry.name, file);
  }
  return files;
}

/** An archive of these files in order, deflated if that is smaller. Times are zero, so equal files give equal archives. */
export function zip(files: Iterable<readonly [string, Uint8Array]>): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [name, file] of files) {
    checkName(name);
    const encoded = Buffer.from(name, 'utf8');
    const deflated = deflateRawSync(file);
    const packed = deflated.length < file.length ? deflated : file;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(packed === file ? 0 : 8, 4);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(file), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(file.length, 18);
    common.writeUInt16LE(encoded.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, tail, encoded);
    const local = [Buffer.from('PK\x03\x04', 'latin1'), common, encoded, packed];
    parts.push(...local);
    offset += localSize + encoded.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(endSize);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length / 4, 8);
  end.writeUInt16LE(directory.length / 4, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...parts, ...directory, end]));
}

function directoryOf(bytes: Uint8Array, view: DataView, limits: ZipLimits): readonly Entry[] {
  const end = endOf(bytes, view);
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  let at = view.getUint32(end + 16, true);
  if (count > limits.entries) throw refusedFault(`it has ${count} entries, but at most ${limits.entries} are allowed`);
  if (at + size > end) throw refusedFault('its directory does not fit into the file');
  const entries: Entry[] = [];
  for (let i = 0; i < count; i++) {
    if (at + directorySize > end || view.getUint32(at, true) !== 0x02014b50)
      throw refusedFault(`entry ${i + 1} of its directory is broken`);
    const nameLength = view.getUint16(at + 28, true);
    const next = at + directorySize + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw refusedFault(`entry ${i + 1} of its directory is cut off`);
    const name = nameOf(bytes.subarray(at + directorySize, at + directorySize + nameLength));
    if (view.getUint16(at + 8, true) & 1) throw refusedFault(`"${name}" is encrypted`);
    entries.push({
      name,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    });
    at = next;
  }
  return entries;
}

/** The end record: the last one in the file, at most one comment's length from the end. */
function endOf(bytes: Uint8Array, view: DataView): number {
  for (let at = bytes.length - endSize; at >= Math.max(0, bytes.length - endSize - 0xffff); at--)
    if (view.getUint32(at, true) === 0x06054b50) return at;
  throw refusedFault('it is cut off, or not a zip file');
}

function dataStart(view: DataView, { name, offset }: Entry): number {
  if (offset + localSize > view.byteLength || view.getUint32(offset, true) !== 0x04034b50)
    throw refusedFault(`"${name}" is not where its directory says`);
  return offset + localSize + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
}

function unpackEntry(packed: Uint8Array, { name, method, crc, size }: Entry, limits: ZipLimits): Uint8Array {
  if (size > limits.entryBytes) throw refusedFault(`"${name}" unpacks to ${size} bytes, but at most ${limits.entryBytes} are allowed`);
  if (size > smallEnough && size > packed.length * limits.ratio)
    throw refusedFault(`"${name}" is ${Math.round(size / packed.length)} times larger than its packed form, which looks like a zip bomb`);
  if (method !== 0 && method !== 8)
    throw refusedFault(`"${name}" uses compression method ${method}, but only stored and deflated files are supported`);
  const file = method === 0 ? packed : inflateEntry(packed, name, size);
  if (file.length !== size) throw refusedFault(`"${name}" has ${file.length} bytes, but its directory says ${size}`);
  if (crc32(file) !== crc) throw refusedFault(`the checksum of "${name}" is wrong`);
  return file;
}

/** Never inflates more than the declared size, so a false directory gains nothing. */
function inflateEntry(packed: Uint8Array, name: string, size: number): Uint8Array {
  try {
    return new Uint8Array(inflateRawSync(packed, { maxOutputLength: Math.max(1, size) }));
  } catch (thrown) {
    throw refusedFault(`"${name}" does not match its directory entry (${sentenceOf(thrown)})`);
  }
}

function nameOf(bytes: Uint8Array): string {
  let name: string;
  try {
    name = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    name = Buffer.from(bytes).toString('latin1');
  }
  checkName(name);
  return name;
}

function checkName(name: string): void {
  const parts = name.split('/');
  if (name === '' || name.startsWith('/') || /[\\\0]|^[A-Za-z]:/.test(name) || parts.includes('..') || parts.includes('.'))
    throw refusedFault(`it has an entry named ${JSON.stringify(name.slice(0, 80))}, which could be written outside its folder`);
}

function refusedFault(why: string): Fault {
  return new Fault('input', `The archive was rejected: ${why}.`);
}
