/** @file Writes metrics in TensorBoard's format: records of small protocol buffers, each guarded by two checksums. */

import { ProtobufMessage } from '../protobuf.ts';

/** The header at the start of every event file. */
export function eventFileHeader(seconds: number): Uint8Array {
  return record(new ProtobufMessage().double(1, seconds).text(3, 'brain.Event:2'));
}

/** The figures of one step, without missing and non-numeric values. */
export function scalarEvent(step: number, seconds: number, figures: Readonly<Record<string, number | null>>): Uint8Array {
  const values = new ProtobufMessage();
  for (const [tag, value] of Object.entries(figures))
    if (value !== null && Number.isFinite(value)) values.message(1, new ProtobufMessage().text(1, tag).float(2, value));
  return record(new ProtobufMessage().double(1, seconds).whole(2, step).message(5, values));
}

function record(message: ProtobufMessage): Uint8Array {
  const body = message.bytes();
  const out = new Uint8Array(16 + body.length);
  const view = new DataView(out.buffer);
  view.setBigUint64(0, BigInt(body.length), true);
  view.setUint32(8, maskCrc(out.subarray(0, 8)), true);
  out.set(body, 12);
  view.setUint32(12 + body.length, maskCrc(body), true);
  return out;
}

/** Checksums are rotated and shifted, since a checksum over data that contains checksums would be weak. */
function maskCrc(data: Uint8Array): number {
  const sum = crc32c(data);
  return (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;
}

/** Castagnoli's cyclic redundancy check. */
export function crc32c(data: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of data) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0x82f63b78 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
