/**
 * @file The Gaussian learner: reads the numbers of an ask's `data.observation` and answers with numbers, each drawn around a learned mean
 * with a learned deviation. For environments whose actions are numbers from −1 to 1.
 *
 * As tokens, a decision consists of the observation, which is input, and the action, which is sampled: each number in whole millionths. A
 * log contains all training data, and log-probabilities are recomputed from the current weights. An action outside of −1 to 1 is clamped
 * for play, but trained on as it was drawn.
 */

import {
  Fault,
  type JsonObject,
  type Learner,
  type ModelCall,
  type Policy,
  parseBracketed,
  type Reply,
  type Rng,
  type Sampling,
  type Seed,
  type TokenRow,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { entropyOf, GaussianNetwork, gaussianOf } from './network.ts';

export interface GaussianOptions {
  readonly id?: string;
  readonly seed?: Seed;
  readonly optimiser?: 'adam' | 'sgd' | 'mirror';
  /** Units of a hidden layer; the mean is linear if unset. */
  readonly hidden?: number;
}

const unit = 1e6;
/** The limit on observed values, which are typically around 1, so that tokens fit in 32 bits. */
const largest = 2000;

const tokenOf = (value: number) => Math.round(Math.max(-largest, Math.min(largest, value)) * unit);
const numberOf = (token: number) => token / unit;

/** The observation as tokens, and how many numbers are requested. */
interface NumbersAsked {
  readonly observed: readonly number[];
  readonly count: number;
}

/** The data of an ask for numbers; null for any other ask. */
export function numbersAsked({ data }: Turn['ask']): NumbersAsked | null {
  const { observation, numbers } = (data ?? {}) as { readonly observation?: unknown; readonly numbers?: unknown };
  const isList = Array.isArray(observation) && observation.length > 0 && observation.every((item) => Number.isFinite(item));
  if (!isList || !Number.isInteger(numbers) || (numbers as number) < 1) return null;
  return { observed: observation.map(tokenOf), count: numbers as number };
}

/** A learner for numeric actions: one Gaussian per number. */
export class Gaussian implements Learner {
  readonly id: string;
  /** It runs on this machine. */
  readonly price = { prompt: 0, completion: 0 };
  readonly #seed: Seed;
  readonly #optimiser: 'adam' | 'sgd';
  readonly #hidden: number;
  /** Created at the first ask, which determines the number of inputs and outputs. */
  #network: GaussianNetwork | null = null;

  constructor({ id = 'local/gaussian', seed = 0, optimiser = 'adam', hidden = 0 }: GaussianOptions = {}) {
    if (optimiser === 'mirror')
      throw new Fault(
        'input',
        'Mirror descent needs discrete choices, which a Gaussian policy does not have. Set training.optimiser to adam or sgd.',
      );
    this.id = id;
    this.#seed = seed;
    this.#optimiser = optimiser;
    this.#hidden = hidden;
  }

  policy({ temperature = 1 }: Sampling = {}): Policy {
    return { name: this.id, act: (turns) => turns.map((turn) => this.#reply(turn, temperature)) };
  }

  /** A row of a turn and bracketed numbers, for imitating a script. */
  rowOf({ ask }: Turn, text: string): TokenRow {
    const { observed, count } = this.#asked(ask);
    const read = parseBracketed({ text });
    const values = read.ok ? read.move.split(/[\s,;]+/).map(Number) : [];
    if (values.length !== count || !values.every(Number.isFinite))
      throw new Fault('input', `${this.id} answers with ${count === 1 ? '1 number' : `${count} numbers`} in brackets, but got "${text}".`);
    const written = values.map(tokenOf);
    return { tokens: [...observed, ...written], mask: [...observed.map(() => 0), ...written.map(() => 1)] };
  }

  async complete(): Promise<ModelCall> {
    throw new Fault(
      'model',
      `${this.id} reads numbers, not prompts. Use it in an environment whose asks have "observation" in their data.`,
    );
  }

  async forwardBackward(batch: readonly TokenRow[], loss: string, settings: JsonObject = {}): Promise<Readonly<Record<string, number>>> {
    if (loss !== 'cross_entropy')
      throw new Fault('input', `${this.id} only supports the loss "cross_entropy", but got "${loss}". Convert it to weights.`);
    const { kl = 0, entropy = 0 } = settings as Readonly<Record<string, number>>;
    let [sum, count, divergence, spread] = [0, 0, 0, 0];
    for (const row of batch) {
      const { network, observed, values, from } = this.#decision(row);
      const [means, logs] = [network.means(observed), network.logDeviations()];
      const [usual, usualLogs] = [network.means(observed, network.reference), network.logDeviations(network.reference)];
      const [byMean, byLog] = [new Float64Array(values.length), new Float64Array(values.length)];
      values.forEach((value, k) => {
        const [log, usualLog, away] = [logs[k], usualLogs[k], means[k] - usual[k]];
        const gaussian = gaussianOf(value, means[k], log);
        const weight = row.mask[from + k] * (row.weights === undefined ? 1 : row.weights[from + k]);
        const tight = Math.exp(-2 * usualLog);
        const ratio = Math.exp(2 * log) * tight;
        sum -= weight * gaussian.logprob;
        divergence += usualLog - log + (ratio + away * away * tight - 1) / 2;
        spread += entropyOf(log);
        count++;
        byMean[k] = -weight * gaussian.byMean + kl * away * tight;
        byLog[k] = -weight * gaussian.byLogDeviation + kl * (ratio - 1) - entropy;
      });
      network.pull(observed, byMean, byLog);
    }
    const per = Math.max(1, count);
    return { loss: sum + kl * divergence - entropy * spread, tokens: count, kl: divergence / per, entropy: spread / per };
  }

  async optimStep({ rate = 0.01, clip, beta2 }: Readonly<Record<string, number>>): Promise<void> {
    this.#network?.step(this.#optimiser, { rate, ...(clip !== undefined && { clip }), ...(beta2 !== undefined && { beta2 }) });
  }

  async logprobs(batch: readonly TokenRow[], of: 'current' | 'reference' = 'current'): Promise<readonly ArrayLike<number>[]> {
    return batch.map((row) => {
      const { network, observed, values, from } = this.#decision(row);
      const weights = of === 'current' ? network.weights : network.reference;
      const [means, logs] = [network.means(observed, weights), network.logDeviations(weights)];
      const out = new Float64Array(row.tokens.length);
      values.forEach((value, k) => {
        out[from + k] = gaussianOf(value, means[k], logs[k]).logprob;
      });
      return out;
    });
  }

  async refer(): Promise<void> {
    if (this.#network !== null) this.#network.reference = this.#network.weights.slice();
  }

  async save(): Promise<string> {
    return JSON.stringify(this.#network?.write() ?? null);
  }

  async weights(): Promise<string> {
    const { sizes, weights } = this.#network?.write() ?? {};
    return JSON.stringify(sizes === undefined ? null : { sizes, weights });
  }

  async load(checkpoint: string): Promise<void> {
    const from = JSON.parse(checkpoint) as JsonObject | null;
    this.#network = from === null ? null : GaussianNetwork.read(from);
  }

  #reply({ ask, rng: dice }: Turn, temperature: number): Reply {
    const { observed, count } = this.#asked(ask);
    const network = this.#sized(observed.length, count);
    const [means, logs] = [network.means(observed.map(numberOf)), network.logDeviations()];
    const tokens = Array.from(means, (mean, k) => tokenOf(mean + temperature * Math.exp(logs[k]) * normal(dice)));
    const played = tokens.map((token) => Math.max(-1, Math.min(1, numberOf(token))));
    const text = `[${played.join(' ')}]`;
    const call: ModelCall = {
      model: this.id,
      prompt: { messages: [] },
      text,
      finish: 'stop',
      usage: { promptTokens: observed.length, completionTokens: count },
      cost: 0,
      promptTokenIds: observed,
      tokenIds: tokens,
      logprobs: tokens.map((token, k) => gaussianOf(numberOf(token), means[k], logs[k]).logprob),
    };
    return { action: { text }, calls: [call] };
  }

  #asked(ask: Turn['ask']): NumbersAsked {
    const request = numbersAsked(ask);
    if (request !== null) return request;
    throw new Fault(
      'agent',
      `${this.id} needs a list "observation" and a count "numbers" in the data of each ask, but the ask of seat "${ask.seat}" lacks one of them. Use an environment with numeric observations, such as motor.`,
    );
  }

  #decision({ tokens, mask }: TokenRow) {
    let from = 0;
    while (from < mask.length && mask[from] === 0) from++;
    const observed = new Float64Array(from);
    const values = new Float64Array(tokens.length - from);
    for (let i = 0; i < tokens.length; i++) {
      if (i < from) observed[i] = numberOf(tokens[i]);
      else values[i - from] = numberOf(tokens[i]);
    }
    return { network: this.#sized(observed.length, values.length), observed, values, from };
  }

  #sized(inputs: number, outputs: number): GaussianNetwork {
    this.#network ??= new GaussianNetwork({ inputs, outputs, hidden: this.#hidden }, this.#seed);
    const { sizes } = this.#network;
    if (sizes.inputs !== inputs || sizes.outputs !== outputs)
      throw new Fault(
        'agent',
        `${this.id} reads ${sizes.inputs} numbers and writes ${sizes.outputs}, but this task has ${inputs} inputs and ${outputs} outputs. Train a policy for this task.`,
      );
    return this.#network;
  }
}

/** A standard normal random number, by Box and Muller. */
function normal(dice: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
}
