/**
 * @file The graphs of a network in training: states, scores, and the whole training step (forward, losses, backward, clipping, AdamW).
 *
 * All parameters are one vector, and so are the gradient and each moment of the optimizer. The network reads each parameter as a separate
 * input (`theta.head`), a view into the vector, so that no graph has to slice it; the optimizer reads whole vectors. Only the positions in
 * `places` reach the head, so the cost of a batch depends on its answers, not on vocabulary × input length.
 */

import { Graph, type Tensor } from './graph.ts';
import { type ForwardPass, firstGain, hiddenStates, logitsOf, type Parameter, parametersOf, type Sizes, weightInputs } from './network.ts';
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
  numbersAt,
  reduceSum,
  reshape,
  scalar,
  squareRoot,
  subtract,
  total,
} from './operations.ts';

/** The size of a batch: rows and their length, the evaluated positions, and pairs of a position and a token. */
export interface Extent {
  readonly rows: number;
  readonly length: number;
  readonly places: number;
  readonly pairs: number;
}

export const lossNames = ['cross_entropy', 'importance_sampling', 'ppo'] as const;
export type LossName = (typeof lossNames)[number];

export interface StepShape extends Extent {
  readonly loss: LossName;
  /** Whether the loss includes a divergence from the reference, or an entropy bonus. */
  readonly kl: boolean;
  readonly entropy: boolean;
  /** Whether the optimizer's step is part of the same graph, and whether it applies weight decay. */
  readonly apply: boolean;
  readonly decay: boolean;
}

/** The hidden states of texts at the given positions, before the head: `theta`, the rows, `places` → `states`. */
export function stateGraph(sizes: Sizes, extent: Extent): Graph {
  const graph = new Graph();
  const weights = weightInputs(graph, 'theta', sizes);
  const hidden = hiddenStates({ sizes, weights, ...rowInputs(graph, extent) });
  graph.output('states', gatherDistinct(hidden, graph.input('places', [extent.places], 'int64')));
  return graph;
}

/** Only the log-probabilities of pairs: `theta`, the rows, `places`, `targets` → `chosen`. */
export function scoringGraph(sizes: Sizes, extent: Extent): Graph {
  const graph = new Graph();
  const weights = weightInputs(graph, 'theta', sizes);
  const rows = rowInputs(graph, extent);
  const places = graph.input('places', [extent.places], 'int64');
  graph.output('chosen', chosenLogprobs(graph, extent, logSoftmax(atPlaces(weights, { sizes, rows, places }))));
  return graph;
}

/** One training step. Returns `loss`, `entropy`, `kl` and either the `gradient` or, if applied, the new vectors. */
export function stepGraph(sizes: Sizes, shape: StepShape): Graph {
  const graph = new Graph();
  const parameters = parametersOf(sizes);
  const weights = weightInputs(graph, 'theta', sizes);
  const rows = rowInputs(graph, shape);
  const places = graph.input('places', [shape.places], 'int64');
  const logprobs = logSoftmax(atPlaces(weights, { sizes, rows, places }));
  const tensor = chosenLogprobs(graph, shape, logprobs);
  let loss = total(multiply(graph.input('mask', [shape.pairs]), lossAt(graph, shape, tensor)));
  // Weights by position instead of pair: a distribution counts once, whatever was sampled from it.
  const share = graph.input('share', [shape.places]);
  const chances = exponential(logprobs);
  const entropy = total(multiply(share, negate(sumLast(multiply(chances, logprobs)))));
  if (shape.entropy) loss = subtract(loss, multiply(graph.input('entropyWeight', []), entropy));
  let kl = scalar(loss, 0);
  if (shape.kl) {
    const reference = weightInputs(graph, 'reference', sizes);
    const target = logSoftmax(atPlaces(reference, { sizes, rows, places }));
    kl = total(multiply(share, sumLast(multiply(chances, subtract(logprobs, target)))));
    loss = add(loss, multiply(graph.input('klWeight', []), kl));
  }
  const slopes = graph.gradient(loss, [...weights.values()], add);
  const gradient = concat(slopes.map((slope) => reshape(slope as Tensor, [-1])));
  graph.output('loss', loss);
  graph.output('entropy', entropy);
  graph.output('kl', kl);
  if (shape.apply) applyStep(graph, parameters, { theta: graph.input('theta', [lengthOf(parameters)]), gradient, decays: shape.decay });
  else graph.output('gradient', gradient);
  return graph;
}

/** The optimizer alone, for gradients gathered over several batches. */
export function optimiserGraph(sizes: Sizes, decays: boolean): Graph {
  const graph = new Graph();
  const parameters = parametersOf(sizes);
  const length = [lengthOf(parameters)];
  applyStep(graph, parameters, { theta: graph.input('theta', length), gradient: graph.input('gradient', length), decays });
  return graph;
}

/** The loss of each sampled token, before it is masked and summed. */
function lossAt(graph: Graph, { loss, pairs }: StepShape, tensor: Tensor): Tensor {
  if (loss === 'cross_entropy') return negate(multiply(graph.input('weights', [pairs]), tensor));
  const advantages = graph.input('advantages', [pairs]);
  const apart = subtract(tensor, graph.input('old', [pairs]));
  const ratio = exponential(clamp(apart, scalar(tensor, -20), scalar(tensor, 20)));
  const plain = multiply(ratio, advantages);
  if (loss === 'importance_sampling') return negate(plain);
  return negate(minimum(plain, multiply(clamp(ratio, graph.input('low', []), graph.input('high', [])), advantages)));
}

/** AdamW with bias correction, after clipping the norm of the whole gradient; gains do not decay. */
function applyStep(
  graph: Graph,
  parameters: readonly Parameter[],
  { theta, gradient, decays }: { readonly theta: Tensor; readonly gradient: Tensor; readonly decays: boolean },
): void {
  const [first, second] = [graph.input('first', theta.shape), graph.input('second', theta.shape)];
  const [rate, most] = [graph.input('rate', []), graph.input('clip', [])];
  const [keepFirst, keepSecond] = [graph.input('keepFirst', []), graph.input('keepSecond', [])];
  const [firstSum, secondSum] = [graph.input('firstSum', []), graph.input('secondSum', [])];
  const tensor = scalar(theta, 1);
  const norm = squareRoot(total(multiply(gradient, gradient)));
  const cut = multiply(gradient, minimum(tensor, divide(most, add(norm, scalar(norm, 1e-6)))));
  const nextFirst = add(multiply(keepFirst, first), multiply(subtract(tensor, keepFirst), cut));
  const nextSecond = add(multiply(keepSecond, second), multiply(subtract(tensor, keepSecond), multiply(cut, cut)));
  const move = divide(divide(nextFirst, firstSum), add(squareRoot(divide(nextSecond, secondSum)), scalar(theta, 1e-8)));
  const next = subtract(theta, multiply(rate, decays ? add(move, decayOf(graph, parameters, theta)) : move));
  graph.output('norm', norm);
  graph.output('theta.next', next);
  graph.output('first.next', nextFirst);
  graph.output('second.next', nextSecond);
}

/** Excludes gains. */
function decayOf(graph: Graph, parameters: readonly Parameter[], theta: Tensor): Tensor {
  const matrices = firstGain(parameters);
  const decaying = concat([expand(scalar(theta, 1), [matrices]), expand(scalar(theta, 0), [theta.shape[0] - matrices])]);
  return multiply(graph.input('decay', []), multiply(decaying, theta));
}

type Rows = Pick<ForwardPass, 'tokens' | 'positions' | 'sees'>;

function rowInputs(graph: Graph, { rows, length }: Extent): Rows {
  return {
    tokens: graph.input('tokens', [rows, length], 'int64'),
    positions: graph.input('positions', [rows, length], 'int64'),
    sees: graph.input('sees', [rows, 1, length, length]),
  };
}

interface Looked {
  readonly sizes: Sizes;
  readonly rows: Rows;
  readonly places: Tensor;
}

function atPlaces(weights: ReadonlyMap<string, Tensor>, { sizes, rows, places }: Looked): Tensor {
  return logitsOf(gatherDistinct(hiddenStates({ sizes, weights, ...rows }), places), weights);
}

/** The log-probabilities at `targets`: flat indices over position and token. */
function chosenLogprobs(graph: Graph, { pairs }: Extent, logprobs: Tensor): Tensor {
  return numbersAt(reshape(logprobs, [-1]), graph.input('targets', [pairs], 'int64'));
}

function sumLast(a: Tensor): Tensor {
  const last = a.shape.length - 1;
  return reshape(reduceSum(a, [last]), a.shape.slice(0, last));
}

function lengthOf(parameters: readonly Parameter[]): number {
  const { at, size } = parameters.at(-1) as Parameter;
  return at + size;
}
