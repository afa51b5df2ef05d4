/**
 * @file A mean for each number of an action, linear in the observation plus an optional hidden layer, and a deviation for each, stored as
 * its logarithm. All weights are in one array, updated by Adam or plain descent.
 */

import { Fault, type JsonObject, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';

type NetworkSizes = {
  /** Observed numbers. */
  readonly inputs: number;
  /** Numbers in an action. */
  readonly outputs: number;
  /** Units of the hidden layer; 0 for a linear mean. */
  readonly hidden: number;
};

type Optimiser = 'adam' | 'sgd';

/** A third of the range of actions: initial actions vary, and are rarely clamped. */
const firstDeviation = Math.log(0.3);
/** Bounds beyond which a log-probability is meaningless: actions are certain, or uniform over their range. */
const deviations = { least: -6, most: 1 } as const;
const halfLogTau = 0.5 * Math.log(2 * Math.PI);

/** The log-density of a number under a Gaussian, and its derivatives with respect to the mean and the log-deviation. */
export function gaussianOf(value: number, mean: number, logDeviation: number) {
  const deviation = Math.exp(logDeviation);
  const z = (value - mean) / deviation;
  return { logprob: -0.5 * z * z - logDeviation - halfLogTau, byMean: z / deviation, byLogDeviation: z * z - 1 };
}

/** The entropy of one number of an action, in nats. */
export function entropyOf(logDeviation: number): number {
  return 0.5 + halfLogTau + logDeviation;
}

export class GaussianNetwork {
  readonly sizes: NetworkSizes;
  weights: Float64Array;
  reference: Float64Array;
  readonly gradient: Float64Array;
  #first: Float64Array;
  #second: Float64Array;
  #steps = 0;
  /** Offsets of the parts of the weights: the linear part is first, at 0. */
  readonly #at: { readonly bias: number; readonly deviation: number; readonly into: number; readonly out: number };

  constructor(sizes: NetworkSizes, seed: Seed) {
    const { inputs, outputs, hidden } = sizes;
    this.sizes = sizes;
    const bias = inputs * outputs;
    const into = bias + 2 * outputs;
    const out = into + hidden * (inputs + 1);
    this.#at = { bias, deviation: bias + outputs, into, out };
    this.weights = new Float64Array(out + hidden * outputs);
    this.weights.fill(firstDeviation, bias + outputs, into);
    // The hidden layer starts with random inputs and zero outputs, so the mean begins at 0 everywhere.
    const dice = rng(seed, 'gaussian');
    for (let i = into; i < out; i++) this.weights[i] = (2 * dice.next() - 1) / Math.sqrt(inputs);
    this.reference = this.weights.slice();
    this.gradient = new Float64Array(this.weights.length);
    this.#first = new Float64Array(this.weights.length);
    this.#second = new Float64Array(this.weights.length);
  }

  means(observed: ArrayLike<number>, of = this.weights): Float64Array {
    const { inputs, outputs, hidden } = this.sizes;
    const { bias, out } = this.#at;
    const units = this.#units(observed, of);
    const means = new Float64Array(outputs);
    for (let k = 0; k < outputs; k++) {
      let sum = of[bias + k];
      for (let i = 0; i < inputs; i++) sum += of[k * inputs + i] * observed[i];
      for (let j = 0; j < hidden; j++) sum += of[out + k * hidden + j] * units[j];
      means[k] = sum;
    }
    return means;
  }

  logDeviations(of = this.weights): Float64Array {
    return of.subarray(this.#at.deviation, this.#at.into);
  }

  /** Backpropagates the gradient of one observation's means and log-deviations. */
  pull(observed: ArrayLike<number>, byMean: ArrayLike<number>, byLogDeviation: ArrayLike<number>): void {
    const { inputs, outputs, hidden } = this.sizes;
    const { bias, deviation, into, out } = this.#at;
    const { weights, gradient } = this;
    const units = this.#units(observed, weights);
    for (let k = 0; k < outputs; k++) {
      gradient[bias + k] += byMean[k];
      gradient[deviation + k] += byLogDeviation[k];
      for (let i = 0; i < inputs; i++) gradient[k * inputs + i] += byMean[k] * observed[i];
      for (let j = 0; j < hidden; j++) gradient[out + k * hidden + j] += byMean[k] * units[j];
    }
    for (let j = 0; j < hidden; j++) {
      let back = 0;
      for (let k = 0; k < outputs; k++) back += byMean[k] * weights[out + k * hidden + j];
      back *= 1 - units[j] ** 2;
      const row = into + j * (inputs + 1);
      for (let i = 0; i < inputs; i++) gradient[row + i] += back * observed[i];
      gradient[row + inputs] += back;
    }
  }

  /** Applies the gradient and clears it. `clip` is the gradient norm above which it is scaled down. */
  step(
    optimiser: Optimiser,
    { rate, clip, beta2 = 0.999 }: { readonly rate: number; readonly clip?: number; readonly beta2?: number },
  ): void {
    const { weights, gradient } = this;
    const length = Math.sqrt(gradient.reduce((sum, value) => sum + value * value, 0));
    const scale = clip !== undefined && length > clip ? clip / length : 1;
    this.#steps++;
    const [unbias1, unbias2] = [1 - 0.9 ** this.#steps, 1 - beta2 ** this.#steps];
    for (let i = 0; i < weights.length; i++) {
      const slope = gradient[i] * scale;
      this.#first[i] = 0.9 * this.#first[i] + 0.1 * slope;
      this.#second[i] = beta2 * this.#second[i] + (1 - beta2) * slope * slope;
      weights[i] -= rate * (optimiser === 'sgd' ? slope : this.#first[i] / unbias1 / (Math.sqrt(this.#second[i] / unbias2) + 1e-8));
    }
    gradient.fill(0);
    const logs = this.logDeviations();
    logs.forEach((log, k) => {
      logs[k] = Math.min(deviations.most, Math.max(deviations.least, log));
    });
  }

  /** As plain data; numbers are restored exactly. */
  write(): JsonObject {
    const lists = { weights: this.weights, reference: this.reference, first: this.#first, second: this.#second };
    return {
      sizes: { ...this.sizes },
      steps: this.#steps,
      ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, [...list]])),
    };
  }

  /** Restores the output of `write`; if it only has weights, they are the reference too, and the optimizer starts over. */
  static read(from: JsonObject): GaussianNetwork {
    const network = new GaussianNetwork(from['sizes'] as NetworkSizes, 0);
    const list = (name: string, otherwise: Float64Array) => {
      const match = from[name] === undefined ? otherwise : Float64Array.from(from[name] as readonly number[]);
      if (match.length === network.weights.length) return match;
      throw new Fault(
        'input',
        `A checkpoint of a Gaussian policy should have ${network.weights.length} numbers as "${name}", but has ${match.length}.`,
      );
    };
    network.weights = list('weights', new Float64Array());
    network.reference = list('reference', network.weights.slice());
    network.#first = list('first', network.#first);
    network.#second = list('second', network.#second);
    network.#steps = (from['steps'] as number | undefined) ?? 0;
    return network;
  }

  #units(observed: ArrayLike<number>, of: Float64Array): Float64Array {
    const { inputs, hidden } = this.sizes;
    const units = new Float64Array(hidden);
    for (let j = 0; j < hidden; j++) {
      const row = this.#at.into + j * (inputs + 1);
      let sum = of[row + inputs];
      for (let i = 0; i < inputs; i++) sum += of[row + i] * observed[i];
      units[j] = Math.tanh(sum);
    }
    return units;
  }
}
