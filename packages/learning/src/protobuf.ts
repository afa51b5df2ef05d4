/** @file Writes protocol buffers: each field is a number, a wire type and its content. */

/** A message being written. Each method adds one field and returns the message. */
export class ProtobufMessage {
  readonly #parts: Uint8Array[] = [];

  whole(field: number, value: number): this {
    this.#parts.push(varint(field * 8), varint(value));
    return this;
  }

  double(field: number, value: number): this {
    const eight = new Uint8Array(8);
    new DataView(eight.buffer).setFloat64(0, value, true);
    this.#parts.push(varint(field * 8 + 1), eight);
    return this;
  }

  float(field: number, value: number): this {
    const four = new Uint8Array(4);
    new DataView(four.buffer).setFloat32(0, value, true);
    this.#parts.push(varint(field * 8 + 5), four);
    return this;
  }

  text(field: number, value: string): this {
    return this.raw(field, new TextEncoder().encode(value));
  }

  message(field: number, value: ProtobufMessage): this {
    return this.raw(field, value.bytes());
  }

  raw(field: number, value: Uint8Array): this {
    this.#parts.push(varint(field * 8 + 2), varint(value.length), value);
    return this;
  }

  bytes(): Uint8Array {
    const out = new Uint8Array(this.#parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}

/** Seven bits a byte, lowest first; negative numbers as 64-bit two's complement. */
function varint(value: number): Uint8Array {
  const out: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  while (left >= 128n) {
    out.push(Number(left & 127n) | 128);
    left >>= 7n;
  }
  out.push(Number(left));
  return Uint8Array.from(out);
}
