/**
 * @file SHA-256 in plain JavaScript, because the core runs in a browser, synchronously, and imports nothing. A synchronous implementation
 * of the platform, as in Node, is preferred: it is many times faster, and addresses are computed for everything that is stored.
 */

const K = new Uint32Array(64);
const H0 = new Uint32Array(8);
{
  // The constants are the fractional bits of cube and square roots of the first primes.
  let count = 0;
  for (let n = 2; count < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (!prime) continue;
    if (count < 8) H0[count] = (Math.sqrt(n) % 1) * 2 ** 32;
    K[count++] = (Math.cbrt(n) % 1) * 2 ** 32;
  }
}

const W = new Uint32Array(64);
const state = new Uint32Array(8);
const encoder = new TextEncoder();
let buffer = new Uint8Array(1 << 12);

type Digest = (text: string) => string;

/** The SHA-256 digest of a text's UTF-8 bytes, as 64 hex digits. */
export function sha256(text: string): string {
  digest ??= platformDigest() ?? portableSha256;
  return digest(text);
}

/** Chosen on first use: loading it takes a few milliseconds, and not every program needs it. */
let digest: Digest | undefined;

function platformDigest(): Digest | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const crypto = process?.getBuiltinModule?.('node:crypto') as { hash?: (algorithm: string, text: string) => string } | undefined;
  const nativeHash = crypto?.hash;
  return nativeHash === undefined ? undefined : (text) => nativeHash('sha256', text);
}

/** The same without the platform's implementation. */
export function portableSha256(text: string): string {
  const need = text.length * 3 + 72;
  if (buffer.length < need) buffer = new Uint8Array(2 ** Math.ceil(Math.log2(need)));
  const length = encoder.encodeInto(text, buffer).written;
  const total = ((length + 8) >> 6) * 64 + 64;
  buffer.fill(0, length, total);
  buffer[length] = 0x80;
  const view = new DataView(buffer.buffer, 0, total);
  view.setUint32(total - 8, Math.floor(length / 2 ** 29));
  view.setUint32(total - 4, (length << 3) >>> 0);
  state.set(H0);
  for (let block = 0; block < total; block += 64) compress(view, block);
  let hex = '';
  for (let i = 0; i < 8; i++) hex += state[i]!.toString(16).padStart(8, '0');
  return hex;
}

function compress(view: DataView, block: number): void {
  for (let i = 0; i < 16; i++) W[i] = view.getUint32(block + i * 4);
  for (let i = 16; i < 64; i++) {
    const a = W[i - 15]!;
    const b = W[i - 2]!;
    const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3);
    const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10);
    W[i] = (W[i - 16]! + s0 + W[i - 7]! + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + W[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
  state[5] = state[5]! + f;
  state[6] = state[6]! + g;
  state[7] = state[7]! + h;
}
