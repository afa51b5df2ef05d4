/** @file Writes ONNX models: as much of the protobuf wire format as a graph of plain nodes needs. */

export type ElementType = 'float32' | 'int64' | 'bool';
export type Attribute = number | string | readonly number[] | { readonly float: number };

export interface OnnxNode {
  readonly operation: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

export interface OnnxValue {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
}

export interface OnnxConstant extends OnnxValue {
  readonly data: Uint8Array;
}

export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly constants: readonly OnnxConstant[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
}

const elementCodes: Readonly<Record<ElementType, number>> = { float32: 1, int64: 7, bool: 9 };
const attributeCodes = { float: 1, whole: 2, text: 3, wholes: 7 } as const;
const operatorSet = 17;
const formatVersion = 8;

/** The bytes of a model with this graph, as a runtime loads them. */
export function onnxModel(graph: OnnxGraph): Uint8Array {
  const body = new Message();
  for (const node of graph.nodes) body.message(1, nodeMessage(node));
  body.text(2, 'ludus');
  for (const constant of graph.constants) body.message(5, tensorMessage(constant));
  for (const value of graph.inputs) body.message(11, valueMessage(value));
  for (const value of graph.outputs) body.message(12, valueMessage(value));
  return new Message()
    .whole(1, formatVersion)
    .text(2, 'ludus')
    .message(7, body)
    .message(8, new Message().text(1, '').whole(2, operatorSet))
    .bytes();
}

function nodeMessage({ operation, inputs, output, attributes }: OnnxNode): Message {
  const message = new Message();
  for (const input of inputs) message.text(1, input);
  message.text(2, output).text(3, output).text(4, operation);
  for (const [name, value] of Object.entries(attributes)) message.message(5, attributeMessage(name, value));
  return message;
}

function attributeMessage(name: string, value: Attribute): Message {
  const message = new Message().text(1, name);
  if (typeof value === 'number') return message.whole(3, value).whole(20, attributeCodes.whole);
  if (typeof value === 'string') return message.text(4, value).whole(20, attributeCodes.text);
  if ('float' in value) return message.float(2, value.float).whole(20, attributeCodes.float);
  for (const one of value) message.whole(8, one);
  return message.whole(20, attributeCodes.wholes);
}

function tensorMessage({ name, type, shape, data }: OnnxConstant): Message {
  const message = new Message();
  for (const size of shape) message.whole(1, size);
  return message.whole(2, elementCodes[type]).text(8, name).raw(9, data);
}

function valueMessage({ name, type, shape }: OnnxValue): Message {
  const sizes = new Message();
  for (const size of shape) sizes.message(1, new Message().whole(1, size));
  const tensor = new Message().whole(1, elementCodes[type]).message(2, sizes);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}

/** A protobuf message being written: each field is a number, a wire type and its content. */
class Message {
  readonly #parts: Uint8Array[] = [];

  whole(field: number, value: number): this {
    this.#parts.push(varint(field * 8), varint(value));
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

  message(field: number, value: Message): this {
    return this.raw(field, value.bytes());
  }

  raw(field: number, value: Uint8Array): this {
    this.#parts.push(varint(field * 8 + 2), varint(value.length), value);
    return this;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
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
