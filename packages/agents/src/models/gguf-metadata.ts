/** @file Reads the texts, numbers, and lists in the header of a GGUF file, from which the tokenizer is built. */

import { closeSync, openSync, readSync } from 'node:fs';
import { Fault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

export type GgufValue = string | number | boolean | readonly GgufValue[];
export type GgufMetadata = Readonly<Record<string, GgufValue>>;

/** No real header comes near this limit. */
const mostBytes = 2 ** 27;
const mostItems = 2 ** 22;

export function readGgufMetadata(path: string): GgufMetadata {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    return new Head(file).read();
  } catch (thrown) {
    throw new Fault('input', `${path} cannot be read as a GGUF file: ${sentenceOf(thrown)}`, { code: 'E_UNREADABLE_FILE' });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Readers of the fixed-size types by their number; 8 is a string and 9 a list. */
const fixed: Readonly<Record<number, readonly [bytes: number, read: (at: DataView) => number | boolean]>> = {
  0: [1, (at) => at.getUint8(0)],
  1: [1, (at) => at.getInt8(0)],
  2: [2, (at) => at.getUint16(0, true)],
  3: [2, (at) => at.getInt16(0, true)],
  4: [4, (at) => at.getUint32(0, true)],
  5: [4, (at) => at.getInt32(0, true)],
  6: [4, (at) => at.getFloat32(0, true)],
  7: [1, (at) => at.getUint8(0) !== 0],
  10: [8, (at) => Number(at.getBigUint64(0, true))],
  11: [8, (at) => Number(at.getBigInt64(0, true))],
  12: [8, (at) => at.getFloat64(0, true)],
};

class Head {
  readonly #file: number;
  #bytes = Buffer.alloc(0);
  #at = 0;

  constructor(file: number) {
    this.#file = file;
  }

  read(): GgufMetadata {
    if (this.#take(4).toString('latin1') !== 'GGUF') throw new RangeError('it does not start with GGUF.');
    const version = this.#number(4);
    if (version !== 2 && version !== 3) throw new RangeError(`unsupported version ${version}; expected 2 or 3.`);
    this.#number(10);
    const pairs = this.#number(10);
    const out: Record<string, GgufValue> = {};
    for (let i = 0; i < Math.min(pairs, 100_000); i++) {
      const key = this.#text();
      const value = this.#value(this.#number(4), 0);
      if (key !== '__proto__') out[key] = value;
    }
    return out;
  }

  #value(type: number, depth: number): GgufValue {
    if (type === 8) return this.#text();
    if (type !== 9) return this.#fixed(type);
    const of = this.#number(4);
    const items = this.#number(10);
    if (items > mostItems || depth > 4) throw new RangeError('a list in it is too long or too deep.');
    return Array.from({ length: items }, () => this.#value(of, depth + 1));
  }

  #text(): string {
    return this.#take(this.#number(10)).toString();
  }

  #number(type: 4 | 10): number {
    return this.#fixed(type) as number;
  }

  #fixed(type: number): number | boolean {
    const fixedSize = fixed[type];
    if (fixedSize === undefined) throw new RangeError(`it has a value of the unknown type ${type}.`);
    const bytes = this.#take(fixedSize[0]);
    return fixedSize[1](new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
  }

  #take(length: number): Buffer {
    while (this.#bytes.length < this.#at + length) {
      const more = Buffer.alloc(Math.max(2 ** 20, this.#bytes.length));
      if (this.#at + length > mostBytes) throw new RangeError('its header is too long.');
      const got = readSync(this.#file, more, 0, more.length, this.#bytes.length);
      if (got === 0) throw new RangeError('it ends too early.');
      this.#bytes = Buffer.concat([this.#bytes, more.subarray(0, got)]);
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
