/** @file Writes ONNX models: the part of the protobuf wire format that a graph of plain nodes needs. */

import { ProtobufMessage } from '../../protobuf.ts';

export type ElementType = 'float32' | 'int32' | 'int64' | 'bool';
export type Attribute = number | string | readonly number[] | { readonly float: number };

export interface OnnxNode {
  /** Its name in the standard, or a runtime's own operation with its domain before a slash. */
  readonly operation: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

export interface OnnxValue {
  readonly name: string;
  readonly type: ElementType;
  /** −1 for a size that varies by run. */
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

const elementCodes: Readonly<Record<ElementType, number>> = { float32: 1, int32: 6, int64: 7, bool: 9 };
const attributeCodes = { float: 1, whole: 2, text: 3, wholes: 7 } as const;
const operatorSet = 17;
const formatVersion = 8;
/** The domain of operations outside of the standard. */
export const runtimeDomain = 'com.microsoft';

/** Serializes a graph as a model file for a runtime. */
export function onnxModel(graph: OnnxGraph): Uint8Array {
  const body = new ProtobufMessage();
  for (const node of graph.nodes) body.message(1, nodeMessage(node));
  body.text(2, 'ludus');
  for (const constant of graph.constants) body.message(5, tensorMessage(constant));
  for (const value of graph.inputs) body.message(11, valueMessage(value));
  for (const value of graph.outputs) body.message(12, valueMessage(value));
  return new ProtobufMessage()
    .whole(1, formatVersion)
    .text(2, 'ludus')
    .message(7, body)
    .message(8, new ProtobufMessage().text(1, '').whole(2, operatorSet))
    .message(8, new ProtobufMessage().text(1, runtimeDomain).whole(2, 1))
    .bytes();
}

function nodeMessage({ operation, inputs, output, attributes }: OnnxNode): ProtobufMessage {
  const message = new ProtobufMessage();
  for (const input of inputs) message.text(1, input);
  const [name, domain] = operation.split('/').reverse() as [string, string?];
  message.text(2, output).text(3, output).text(4, name);
  for (const [key, value] of Object.entries(attributes)) message.message(5, attributeMessage(key, value));
  return domain === undefined ? message : message.text(7, domain);
}

function attributeMessage(name: string, value: Attribute): ProtobufMessage {
  const message = new ProtobufMessage().text(1, name);
  if (typeof value === 'number') return message.whole(3, value).whole(20, attributeCodes.whole);
  if (typeof value === 'string') return message.text(4, value).whole(20, attributeCodes.text);
  if ('float' in value) return message.float(2, value.float).whole(20, attributeCodes.float);
  for (const dimension of value) message.whole(8, dimension);
  return message.whole(20, attributeCodes.wholes);
}

function tensorMessage({ name, type, shape, data }: OnnxConstant): ProtobufMessage {
  const message = new ProtobufMessage();
  for (const size of shape) message.whole(1, size);
  return message.whole(2, elementCodes[type]).text(8, name).raw(9, data);
}

function valueMessage({ name, type, shape }: OnnxValue): ProtobufMessage {
  const sizes = new ProtobufMessage();
  for (const size of shape) sizes.message(1, size === -1 ? new ProtobufMessage() : new ProtobufMessage().whole(1, size));
  const tensor = new ProtobufMessage().whole(1, elementCodes[type]).message(2, sizes);
  return new ProtobufMessage().text(1, name).message(2, new ProtobufMessage().message(1, tensor));
}
