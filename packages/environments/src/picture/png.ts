/**
 * @file Writes PNG files with a few colors. A picture is part of a log, so its bytes must be the same on every machine, but platform
 * compressors differ by version and processor.
 */

/** Red, green and blue, as #rrggbb; at most sixteen. */
export type Palette = readonly string[];

/** Pixels are color indexes, row by row. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

export function encodePng({ width, height, pixels }: Canvas, palette: Palette): Uint8Array {
  const stride = 1 + Math.ceil(width / 2);
  const rows = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * stride + 1 + (x >> 1)] |= pixels[y * width + x] << (x % 2 === 0 ? 4 : 0);
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // Four bits per pixel: the index of a color.
  header.set([4, 3, 0, 0, 0], 8);
  const colours = palette.flatMap((colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)));
  return joinBytes([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', header),
    chunk('PLTE', Uint8Array.from(colours)),
    chunk('IDAT', zlib(rows, stride)),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const named = joinBytes([Uint8Array.from(name, (letter) => letter.charCodeAt(0)), data]);
  const ends = new DataView(new ArrayBuffer(8));
  ends.setUint32(0, data.length);
  ends.setUint32(4, crc32(named));
  return joinBytes([new Uint8Array(ends.buffer, 0, 4), named, new Uint8Array(ends.buffer, 4, 4)]);
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return ((b << 16) | a) >>> 0;
}

/** Deflate with fixed codes. Repeats are searched only one byte back and one row back, where drawings have them. */
function zlib(bytes: Uint8Array, stride: number): Uint8Array {
  const out: number[] = [0x78, 0x01];
  let [buffer, count] = [0, 0];
  const put = (value: number, bits: number) => {
    buffer |= value << count;
    count += bits;
    for (; count >= 8; count -= 8, buffer >>>= 8) out.push(buffer & 255);
  };
  const symbol = (value: number) => put(symbols[value][0], symbols[value][1]);
  const repeat = (at: number, back: number) => {
    let length = 0;
    while (at >= back && length < 258 && at + length < bytes.length && bytes[at + length] === bytes[at + length - back]) length++;
    return length;
  };
  put(1, 1);
  put(1, 2);
  for (let at = 0; at < bytes.length; ) {
    const [near, far] = [repeat(at, 1), repeat(at, stride)];
    const length = Math.max(near, far);
    if (length < 3) symbol(bytes[at++]);
    else {
      const [size, extra, least] = codeFor(lengths, length);
      symbol(257 + size);
      put(length - least, extra);
      const back = near >= far ? 1 : stride;
      const [distance, more, from] = codeFor(distances, back);
      put(reverseBits(distance, 5), 5);
      put(back - from, more);
      at += length;
    }
  }
  symbol(256);
  if (count > 0) out.push(buffer & 255);
  const sum = adler32(bytes);
  out.push(sum >>> 24, (sum >>> 16) & 255, (sum >>> 8) & 255, sum & 255);
  return Uint8Array.from(out);
}

/** Codes are written from the highest bit. */
function reverseBits(value: number, bits: number): number {
  let out = 0;
  for (let bit = 0; bit < bits; bit++) out |= ((value >> bit) & 1) << (bits - 1 - bit);
  return out;
}

/** The fixed code of each byte, of the end, and of each length, with its number of bits. */
const symbols = Array.from({ length: 286 }, (_, value): readonly [code: number, bits: number] => {
  if (value < 144) return [reverseBits(0x30 + value, 8), 8];
  if (value < 256) return [reverseBits(0x190 + value - 144, 9), 9];
  return value < 280 ? [reverseBits(value - 256, 7), 7] : [reverseBits(0xc0 + value - 280, 8), 8];
});

/** Codes of lengths and of distances, each with its extra bits and its smallest value. */
const lengths = codeTable([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5], 3, [258, 0]);
const distances = codeTable([0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13], 1);

type Code = readonly [least: number, extra: number];

function codeTable(bits: readonly number[], from: number, last?: Code): readonly Code[] {
  let least = from;
  const table = bits.map((extra): Code => {
    const entry: Code = [least, extra];
    least += 1 << extra;
    return entry;
  });
  return last === undefined ? table : [...table, last];
}

function codeFor(table: readonly Code[], value: number): readonly [code: number, extra: number, least: number] {
  let at = table.length - 1;
  while (table[at][0] > value) at--;
  const [least, extra] = table[at];
  return [at, extra, least];
}
