/**
 * @file The language model: a decoder with learned positions, pre-normalized blocks and its own head, as shapes, initial weights and a
 * graph.
 */

import { Fault, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { Graph, Tensor } from './graph.ts';
import { add, gather, matmul, reshape, rmsNorm, scale, softmax, squaredRelu, transpose } from './operations.ts';

/** The dimensions of a network. */
export type Sizes = {
  readonly vocabulary: number;
  /** The maximum number of tokens of input and output together. */
  readonly context: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
};

export interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
  /** Its offset in the one vector with all parameters. */
  readonly at: number;
  readonly size: number;
  /** The standard deviation of its initial values; null for gains, which start at 1 and never decay. */
  readonly spread: number | null;
}

/** All parameters in order: matrices first, gains last. */
export function parametersOf({ vocabulary, context, width, layers, heads }: Sizes): readonly Parameter[] {
  if (width % heads !== 0) throw new Fault('input', `The width ${width} is not a multiple of the number of heads, ${heads}.`);
  const spread = 1 / Math.sqrt(width);
  // Each block's output is scaled down with the number of blocks, to keep the residual stream small.
  const outward = spread / Math.sqrt(2 * layers);
  const list: { name: string; shape: readonly number[]; spread: number | null }[] = [
    { name: 'embedding', shape: [vocabulary, width], spread: 0.1 },
    { name: 'position', shape: [context, width], spread: 0.1 },
  ];
  for (let i = 0; i < layers; i++) {
    for (const name of ['query', 'key', 'value']) list.push({ name: `block.${i}.${name}`, shape: [width, width], spread });
    list.push({ name: `block.${i}.mix`, shape: [width, width], spread: outward });
    list.push({ name: `block.${i}.up`, shape: [width, 4 * width], spread });
    list.push({ name: `block.${i}.down`, shape: [4 * width, width], spread: outward / 2 });
  }
  list.push({ name: 'head', shape: [width, vocabulary], spread: spread / 4 });
  for (let i = 0; i < layers; i++)
    for (const name of ['attend', 'think']) list.push({ name: `block.${i}.${name}.gain`, shape: [width], spread: null });
  list.push({ name: 'gain', shape: [width], spread: null });
  let at = 0;
  return list.map((item) => {
    const size = item.shape.reduce((product, length) => product * length, 1);
    at += size;
    return { ...item, at: at - size, size };
  });
}

/** The offset of the gains. */
export function firstGain(parameters: readonly Parameter[]): number {
  return (parameters.find(({ spread }) => spread === null) as Parameter).at;
}

/** Random initial weights from a seed. */
export function firstWeights(parameters: readonly Parameter[], seed: Seed): Float32Array {
  const last = parameters.at(-1) as Parameter;
  const weights = new Float32Array(last.at + last.size);
  for (const { name, at, size, spread } of parameters) {
    const dice = rng(seed, 'weights', name);
    for (let i = at; i < at + size; i++)
      weights[i] = spread === null ? 1 : spread * Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
  }
  return weights;
}

export interface ForwardPass {
  readonly sizes: Sizes;
  readonly weights: ReadonlyMap<string, Tensor>;
  /** Token ids and the number of tokens before each, [rows, length]. */
  readonly tokens: Tensor;
  readonly positions: Tensor;
  /** [rows, 1, length, length]: zero where a token may attend. */
  readonly sees: Tensor;
}

/** The hidden state of every token of every row: [rows · length, width], ready for the head. */
export function hiddenStates({ sizes, weights, tokens, positions, sees }: ForwardPass): Tensor {
  const [rows, length] = tokens.shape as [number, number];
  const { width, layers } = sizes;
  const get = (name: string) => weights.get(name) as Tensor;
  const embedded = add(gather(get('embedding'), tokens), gather(get('position'), positions));
  let stream = reshape(embedded, [rows * length, width]);
  for (let i = 0; i < layers; i++) {
    const block = (name: string) => get(`block.${i}.${name}`);
    const normal = rmsNorm(stream, block('attend.gain'));
    const looked = attend(sizes, {
      queries: matmul(normal, block('query')),
      keys: matmul(normal, block('key')),
      values: matmul(normal, block('value')),
      sees,
    });
    stream = add(stream, matmul(looked, block('mix')));
    const thought = squaredRelu(matmul(rmsNorm(stream, block('think.gain')), block('up')));
    stream = add(stream, matmul(thought, block('down')));
  }
  return rmsNorm(stream, get('gain'));
}

/** The parameters of a vector as inputs of a graph, by name. */
export function weightInputs(graph: Graph, vector: string, sizes: Sizes): ReadonlyMap<string, Tensor> {
  return new Map(parametersOf(sizes).map(({ name, shape }) => [name, graph.input(`${vector}.${name}`, shape)]));
}

export function logitsOf(hidden: Tensor, weights: ReadonlyMap<string, Tensor>): Tensor {
  return matmul(hidden, weights.get('head') as Tensor);
}

/** Attention: every token mixes the values of visible tokens, weighted by the match of its query with their keys. */
function attend(
  { width, heads }: Sizes,
  { queries, keys, values, sees }: { readonly queries: Tensor; readonly keys: Tensor; readonly values: Tensor; readonly sees: Tensor },
): Tensor {
  const [rows, , length] = sees.shape as [number, number, number];
  const each = width / heads;
  const split = (tensor: Tensor, order: readonly number[]) => transpose(reshape(tensor, [rows, length, heads, each]), order);
  const scores = scale(matmul(split(queries, [0, 2, 1, 3]), split(keys, [0, 2, 3, 1])), 1 / Math.sqrt(each));
  const shares = softmax(add(scores, sees));
  const mixed = transpose(matmul(shares, split(values, [0, 2, 1, 3])), [0, 2, 1, 3]);
  return reshape(mixed, [rows * length, width]);
}
