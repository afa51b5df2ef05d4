/** @file Metrics as TensorBoard reads them: records of small protocol buffers, each guarded by two checksums. */

/** The header that every event file begins with. */
export function eventFileHeader(seconds: number): Uint8Array {
  return record([...double(1, seconds), ...text(3, 'brain.Event:2')]);
}

/** One step's figures. What is missing or not a number is left out. */
export function scalarEvent(step: number, seconds: number, figures: Readonly<Record<string, number | null>>): Uint8Array {
  const values = Object.entries(figures).flatMap(([tag, value]) =>
    value === null || !Number.isFinite(value) ? [] : bytes(1, [...text(1, tag), ...float(2, value)]),
  );
  return record([...double(1, seconds), ...key(2, 0), ...varint(step), ...bytes(5, values)]);
}

function record(data: readonly number[]): Uint8Array {
  const body = Uint8Array.from(data);
  const out = new Uint8Array(16 + body.length);
  const view = new DataView(out.buffer);
  view.setBigUint64(0, BigInt(body.length), true);
  view.setUint32(8, masked(out.subarray(0, 8)), true);
  out.set(body, 12);
  view.setUint32(12 + body.length, masked(body), true);
  return out;
}

/** Checksums are rotated and shifted, since a checksum over data that holds checksums would be weak. */
function masked(data: Uint8Array): number {
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

function key(field: number, wire: number): readonly number[] {
  return varint(field * 8 + wire);
}

function varint(value: number): readonly number[] {
  const out: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) out.push((left % 128) + 128);
  return [...out, left];
}

function bytes(field: number, content: readonly number[]): readonly number[] {
  return [...key(field, 2), ...varint(content.length), ...content];
}

function text(field: number, content: string): readonly number[] {
  return bytes(field, [...new TextEncoder().encode(content)]);
}

function double(field: number, value: number): readonly number[] {
  return [...key(field, 1), ...new Uint8Array(new Float64Array([value]).buffer)];
}

function float(field: number, value: number): readonly number[] {
  return [...key(field, 5), ...new Uint8Array(new Float32Array([value]).buffer)];
}
