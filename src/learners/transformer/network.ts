/** @file The language model: a decoder with learned positions, pre-normalised blocks and a head of its own, as shapes, first weights and a graph. */

import { Fault, rng, type Seed } from '../../core/index.ts';
import type { Tensor } from './graph.ts';
import { add, gather, matmul, multiply, relu, reshape, rmsNorm, scale, slice, softmax, transpose } from './operations.ts';

/** What a network is made of. */
export type Sizes = {
  readonly vocabulary: number;
  /** The most tokens it can read and write together. */
  readonly context: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
};

export interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
  /** Where it lies in the one vector that holds all of them. */
  readonly at: number;
  readonly size: number;
  /** Spread of its first values; null for gains, which begin at 1 and never decay. */
  readonly spread: number | null;
}

/** All parameters in order: matrices first, gains last. */
export function parametersOf({ vocabulary, context, width, layers, heads }: Sizes): readonly Parameter[] {
  if (width % heads !== 0) throw new Fault('input', `The width ${width} cannot be shared by ${heads} heads; make it a multiple.`);
  const spread = 1 / Math.sqrt(width);
  // What is added to the stream by each block is kept small, the smaller the more blocks there are.
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
  return list.map((one) => {
    const size = one.shape.reduce((product, length) => product * length, 1);
    at += size;
    return { ...one, at: at - size, size };
  });
}

/** Where the gains begin. */
export function firstGain(parameters: readonly Parameter[]): number {
  return (parameters.find(({ spread }) => spread === null) as Parameter).at;
}

/** First weights, rolled from a seed. */
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

/** The parts of the one vector, by name. */
export function unpack(vector: Tensor, parameters: readonly Parameter[]): ReadonlyMap<string, Tensor> {
  return new Map(parameters.map(({ name, at, shape }) => [name, slice(vector, at, shape)]));
}

export interface Reading {
  readonly sizes: Sizes;
  readonly weights: ReadonlyMap<string, Tensor>;
  /** Token numbers, [rows, length]; what follows a row's end is never looked at from before it. */
  readonly tokens: Tensor;
}

/** What the network makes of every token of every row: [rows · length, width], ready for the head. */
export function hiddenOf({ sizes, weights, tokens }: Reading): Tensor {
  const [rows, length] = tokens.shape as [number, number];
  const { width, layers } = sizes;
  const get = (name: string) => weights.get(name) as Tensor;
  const places = tokens.graph.constant(
    Array.from({ length }, (_, i) => i),
    [length],
    'int64',
  );
  const embedded = add(gather(get('embedding'), tokens), gather(get('position'), places));
  let stream = reshape(embedded, [rows * length, width]);
  for (let i = 0; i < layers; i++) {
    const attended = attend({ ...sizes, rows, length }, rmsNorm(stream, get(`block.${i}.attend.gain`)), (name) =>
      get(`block.${i}.${name}`),
    );
    stream = add(stream, attended);
    const thought = relu(matmul(rmsNorm(stream, get(`block.${i}.think.gain`)), get(`block.${i}.up`)));
    // Squared, the activation has no kink: its slope is smooth everywhere.
    stream = add(stream, matmul(multiply(thought, thought), get(`block.${i}.down`)));
  }
  return rmsNorm(stream, get('gain'));
}

export function logitsOf(hidden: Tensor, weights: ReadonlyMap<string, Tensor>): Tensor {
  return matmul(hidden, weights.get('head') as Tensor);
}

/** Every token looks at itself and what came before. */
function attend(
  { rows, length, width, heads }: Sizes & { readonly rows: number; readonly length: number },
  stream: Tensor,
  get: (name: string) => Tensor,
): Tensor {
  const each = width / heads;
  const split = (name: string, order: readonly number[]) =>
    transpose(reshape(matmul(stream, get(name)), [rows, length, heads, each]), order);
  const scores = scale(matmul(split('query', [0, 2, 1, 3]), split('key', [0, 2, 3, 1])), 1 / Math.sqrt(each));
  const shares = softmax(add(scores, past(stream, length)));
  const mixed = transpose(matmul(shares, split('value', [0, 2, 1, 3])), [0, 2, 1, 3]);
  return matmul(reshape(mixed, [rows * length, width]), get('mix'));
}

/** Zero where a token may look, and so low that nothing is left of it where it may not. */
function past(like: Tensor, length: number): Tensor {
  const values = Array.from({ length: length * length }, (_, i) => (i % length > Math.floor(i / length) ? -1e9 : 0));
  return like.graph.constant(values, [length, length]);
}
