/**
 * @file The graphs of a network: reading, and the whole training step (forward, losses, backward, clipping, AdamW).
 *
 * All parameters are one vector, and so are the gradient and each moment of the optimiser: they are inputs and outputs of the graphs.
 * Only the places in `places` reach the head, so a batch costs what its answers cost, not vocabulary × everything read.
 */

import { Fault } from '../../core/index.ts';
import { Graph, type Tensor } from './graph.ts';
import { firstGain, hiddenOf, logitsOf, type Parameter, parametersOf, type Sizes, unpack } from './network.ts';
import {
  add,
  clamp,
  concat,
  divide,
  expand,
  exponential,
  gatherDistinct,
  logSoftmax,
  minimum,
  multiply,
  negate,
  pick,
  reduceSum,
  reshape,
  scalar,
  squareRoot,
  subtract,
  total,
} from './operations.ts';

/** How large a batch is: rows of a length, and places that are looked at. */
export interface Extent {
  readonly rows: number;
  readonly length: number;
  readonly places: number;
}

export const lossNames = ['cross_entropy', 'importance_sampling', 'ppo'] as const;
export type LossName = (typeof lossNames)[number];

export interface StepShape extends Extent {
  readonly loss: LossName;
  /** Whether a pull towards the reference, or an entropy bonus, is part of it. */
  readonly kl: boolean;
  readonly entropy: boolean;
  /** Whether the optimiser's step is part of the same graph. */
  readonly apply: boolean;
}

/** Log-probabilities of every token at the places asked for: `theta`, `tokens`, `places` → `logprobs`. */
export function readingGraph(sizes: Sizes, extent: Extent): Graph {
  const graph = new Graph();
  const parameters = parametersOf(sizes);
  const theta = graph.input('theta', [lengthOf(parameters)]);
  graph.output('logprobs', logSoftmax(atPlaces(unpack(theta, parameters), { sizes, ...batchInputs(graph, extent) })));
  return graph;
}

/** One training step. Gives back `loss`, `entropy`, `kl`, `chosen` and either the `gradient` or, applied, the new vectors. */
export function stepGraph(sizes: Sizes, shape: StepShape): Graph {
  const graph = new Graph();
  const parameters = parametersOf(sizes);
  const theta = graph.input('theta', [lengthOf(parameters)]);
  const weights = unpack(theta, parameters);
  const batch = batchInputs(graph, shape);
  const logprobs = logSoftmax(atPlaces(weights, { sizes, ...batch }));
  const chosen = pick(logprobs, graph.input('targets', [shape.places], 'int64'));
  const mask = graph.input('mask', [shape.places]);
  let loss = total(multiply(mask, lossAt(graph, shape, chosen)));
  const chances = exponential(logprobs);
  const entropy = total(multiply(mask, negate(sumLast(multiply(chances, logprobs)))));
  if (shape.entropy) loss = subtract(loss, multiply(graph.input('entropyWeight', []), entropy));
  let kl = scalar(loss, 0);
  if (shape.kl) {
    const reference = unpack(graph.input('reference', theta.shape), parameters);
    const target = logSoftmax(atPlaces(reference, { sizes, ...batch }));
    kl = total(multiply(mask, sumLast(multiply(chances, subtract(logprobs, target)))));
    loss = add(loss, multiply(graph.input('klWeight', []), kl));
  }
  const slopes = graph.gradient(loss, [...weights.values()], add);
  const gradient = concat(slopes.map((slope) => reshape(slope as Tensor, [-1])));
  graph.output('loss', loss);
  graph.output('entropy', entropy);
  graph.output('kl', kl);
  graph.output('chosen', chosen);
  if (shape.apply) applyStep(graph, parameters, { theta, gradient });
  else graph.output('gradient', gradient);
  return graph;
}

/** The optimiser alone, for gradients gathered over several batches. */
export function optimiserGraph(sizes: Sizes): Graph {
  const graph = new Graph();
  const parameters = parametersOf(sizes);
  const length = [lengthOf(parameters)];
  applyStep(graph, parameters, { theta: graph.input('theta', length), gradient: graph.input('gradient', length) });
  return graph;
}

/** What each sampled token adds to the loss, before it is masked and summed. */
function lossAt(graph: Graph, { loss, places }: StepShape, chosen: Tensor): Tensor {
  if (loss === 'cross_entropy') return negate(multiply(graph.input('weights', [places]), chosen));
  const advantages = graph.input('advantages', [places]);
  const apart = subtract(chosen, graph.input('old', [places]));
  const ratio = exponential(clamp(apart, scalar(chosen, -20), scalar(chosen, 20)));
  const plain = multiply(ratio, advantages);
  if (loss === 'importance_sampling') return negate(plain);
  return negate(minimum(plain, multiply(clamp(ratio, graph.input('low', []), graph.input('high', [])), advantages)));
}

/** AdamW with bias correction, after the gradient as a whole was cut to a length; gains do not decay. */
function applyStep(graph: Graph, parameters: readonly Parameter[], { theta, gradient }: { theta: Tensor; gradient: Tensor }): void {
  const [first, second] = [graph.input('first', theta.shape), graph.input('second', theta.shape)];
  const [rate, decay, most] = [graph.input('rate', []), graph.input('decay', []), graph.input('clip', [])];
  const [keepFirst, keepSecond] = [graph.input('keepFirst', []), graph.input('keepSecond', [])];
  const [firstSum, secondSum] = [graph.input('firstSum', []), graph.input('secondSum', [])];
  const one = scalar(theta, 1);
  const norm = squareRoot(total(multiply(gradient, gradient)));
  const cut = multiply(gradient, minimum(one, divide(most, add(norm, scalar(norm, 1e-6)))));
  const nextFirst = add(multiply(keepFirst, first), multiply(subtract(one, keepFirst), cut));
  const nextSecond = add(multiply(keepSecond, second), multiply(subtract(one, keepSecond), multiply(cut, cut)));
  const move = divide(divide(nextFirst, firstSum), add(squareRoot(divide(nextSecond, secondSum)), scalar(theta, 1e-8)));
  const matrices = firstGain(parameters);
  const decaying = concat([expand(one, [matrices]), expand(scalar(theta, 0), [(theta.shape[0] as number) - matrices])]);
  const next = subtract(theta, multiply(rate, add(move, multiply(decay, multiply(decaying, theta)))));
  graph.output('norm', norm);
  graph.output('theta.next', next);
  graph.output('first.next', nextFirst);
  graph.output('second.next', nextSecond);
}

interface Batch {
  readonly tokens: Tensor;
  readonly places: Tensor;
}

function batchInputs(graph: Graph, { rows, length, places }: Extent): Batch {
  if (places > rows * length)
    throw new Fault('input', `${places} places were asked for, but the batch has ${rows} × ${length}; ask for fewer.`);
  return { tokens: graph.input('tokens', [rows, length], 'int64'), places: graph.input('places', [places], 'int64') };
}

function atPlaces(weights: ReadonlyMap<string, Tensor>, { sizes, tokens, places }: Batch & { readonly sizes: Sizes }): Tensor {
  return logitsOf(gatherDistinct(hiddenOf({ sizes, weights, tokens }), places), weights);
}

function sumLast(a: Tensor): Tensor {
  const last = a.shape.length - 1;
  return reshape(reduceSum(a, [last]), a.shape.slice(0, last));
}

function lengthOf(parameters: readonly Parameter[]): number {
  const { at, size } = parameters.at(-1) as Parameter;
  return at + size;
}
