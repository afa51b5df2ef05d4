/** @file Weights as safetensors files: eight bytes of header length, a JSON header, and the numbers one after the other. Float32 only. */

import { Fault, isObject, type Json } from '@ludus-agents/kernel/internal/core/index';

export interface TensorFile {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export interface Tensors {
  readonly tensors: Readonly<Record<string, TensorFile>>;
  /** Accompanying texts. */
  readonly metadata: Readonly<Record<string, string>>;
}

type Entry = { readonly dtype: string; readonly shape: readonly number[]; readonly data_offsets: readonly [number, number] };

export function writeSafetensors({ tensors, metadata }: Tensors): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    header[name] = { dtype: 'F32', shape, data_offsets: [at, at + data.byteLength] } satisfies Entry;
    parts.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    at += data.byteLength;
  }
  let text = JSON.stringify(header);
  // Pads with blanks to a multiple of eight bytes, so that the numbers can be read in place.
  text += ' '.repeat((8 - (Buffer.byteLength(text) % 8)) % 8);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(text)));
  return Buffer.concat([length, Buffer.from(text), ...parts]);
}

export function readSafetensors(bytes: Uint8Array): Tensors {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { __metadata__: metadata = {}, ...entries } = headerOf(file);
  const start = 8 + Number(file.readBigUInt64LE(0));
  const tensors: Record<string, TensorFile> = {};
  for (const [name, entry] of Object.entries(entries)) {
    if (!isEntry(entry)) throw broken(`"${name}" has no type, shape and place that can be read`);
    const [from, to] = entry.data_offsets;
    const count = entry.shape.reduce((product, size) => product * size, 1);
    if (entry.dtype !== 'F32') throw broken(`"${name}" holds ${entry.dtype}, and only F32 is read`);
    if (to - from !== 4 * count || start + to > file.length) throw broken(`"${name}" does not fit into the file`);
    const data = new Float32Array(count);
    new Uint8Array(data.buffer).set(file.subarray(start + from, start + to));
    tensors[name] = { shape: entry.shape, data };
  }
  return { tensors, metadata: metadata as Record<string, string> };
}

function headerOf(file: Buffer): Record<string, unknown> {
  const length = file.length < 8 ? 0 : Number(file.readBigUInt64LE(0));
  if (length < 2 || 8 + length > file.length) throw broken('its header is cut off');
  let header: unknown;
  try {
    header = JSON.parse(file.toString('utf8', 8, 8 + length));
  } catch {
    throw broken('its header is not JSON');
  }
  if (!isObject(header as Json)) throw broken('its header is not an object');
  return header as Record<string, unknown>;
}

function isEntry(entry: unknown): entry is Entry {
  const { dtype, shape, data_offsets: place } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  const areCounts = (list: unknown) => Array.isArray(list) && list.every((item) => Number.isSafeInteger(item) && item >= 0);
  return typeof dtype === 'string' && areCounts(shape) && areCounts(place) && (place as unknown[]).length === 2;
}

function broken(why: string): Fault {
  return new Fault('input', `Expected a safetensors file, but ${why}. Use a checkpoint exactly as it was saved.`);
}
