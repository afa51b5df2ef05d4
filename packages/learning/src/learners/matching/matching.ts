/**
 * @file A learner that chooses among listed moves by how they match what it reads: one weight for each feature of a move, and a softmax
 * over the moves. It carries over to tasks with other words, which a table cannot, and needs no model.
 *
 * As tokens, a decision consists of the features of every move, which are input, and the number of the move, which is sampled. A log
 * contains all training data, and log-probabilities are recomputed from the current weights.
 */

import {
  Fault,
  type JsonObject,
  type Learner,
  type ModelCall,
  type Policy,
  type Reply,
  type Sampling,
  type TokenRow,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { unlistedMoves } from '../tabular.ts';
import { type Feature, featuresOf, size, type TermCounts, unit } from './features.ts';

export interface MatchingOptions {
  readonly id?: string;
  readonly optimiser?: 'adam' | 'sgd' | 'mirror';
  readonly terms?: TermCounts;
}

const states = ['weights', 'reference', 'first', 'second'] as const;

export class MatchingLearner implements Learner {
  readonly id: string;
  /** It runs on this machine. */
  readonly price = { prompt: 0, completion: 0 };
  readonly #optimiser: 'adam' | 'sgd';
  #terms: TermCounts;
  readonly #state = {
    ...{ weights: new Float64Array(size), reference: new Float64Array(size) },
    ...{ first: new Float64Array(size), second: new Float64Array(size) },
  };
  readonly #gradient = new Float64Array(size);
  #steps = 0;

  constructor({ id = 'local/matching', optimiser = 'adam', terms = { tasks: 0, counts: {} } }: MatchingOptions = {}) {
    if (optimiser === 'mirror')
      throw new Fault('input', 'Mirror descent needs one weight for each choice. Set training.optimiser to adam or sgd.');
    this.id = id;
    this.#optimiser = optimiser;
    this.#terms = terms;
  }

  policy({ temperature = 1 }: Sampling = {}): Policy {
    return { name: this.id, act: (turns) => turns.map((turn) => this.#reply(turn, temperature)) };
  }

  rowOf(turn: Turn, text: string): TokenRow {
    const choice = (turn.ask.choices ?? []).indexOf(text);
    if (choice < 0)
      throw new Fault(
        'input',
        `${this.id} chooses among listed moves, but "${text}" is not one of ${(turn.ask.choices ?? []).join(', ')}.`,
      );
    const tokens = encode(featuresOf(turn, this.#terms));
    return { tokens: [...tokens, choice], mask: [...tokens.map(() => 0), 1] };
  }

  async complete(): Promise<ModelCall> {
    throw new Fault('model', `${this.id} chooses among listed moves and reads no prompts. Use it as the agent of a seat.`);
  }

  async forwardBackward(batch: readonly TokenRow[], loss: string, settings: JsonObject = {}): Promise<Readonly<Record<string, number>>> {
    if (loss !== 'cross_entropy')
      throw new Fault('input', `${this.id} only supports the loss "cross_entropy", but got "${loss}". Convert it to weights.`);
    const { kl = 0, entropy = 0 } = settings as Readonly<Record<string, number>>;
    let [sum, count, divergence, spread] = [0, 0, 0, 0];
    for (const { tokens, mask, weights } of batch) {
      const last = tokens.length - 1;
      if (mask[last] === 0) continue;
      const moves = decode(tokens);
      const chances = this.#chances(moves);
      const usual = kl === 0 ? chances : this.#chances(moves, this.#state.reference);
      const weight = weights === undefined ? 1 : weights[last];
      const logs = chances.map((chance) => Math.log(Math.max(chance, 1e-300)));
      const surprise = chances.reduce((total, chance, i) => total - chance * logs[i], 0);
      const away = chances.reduce((total, chance, i) => total + chance * (logs[i] - Math.log(Math.max(usual[i], 1e-300))), 0);
      sum -= weight * logs[tokens[last]];
      divergence += away;
      spread += surprise;
      count++;
      for (const [i, features] of moves.entries()) {
        const apart = logs[i] - Math.log(Math.max(usual[i], 1e-300));
        const slope =
          weight * (chances[i] - (i === tokens[last] ? 1 : 0)) + chances[i] * (kl * (apart - away) + entropy * (logs[i] + surprise));
        for (const [number, value] of features) this.#gradient[number] = this.#gradient[number] + slope * value;
      }
    }
    const per = Math.max(1, count);
    return { loss: sum + kl * divergence - entropy * spread, tokens: count, kl: divergence / per, entropy: spread / per };
  }

  async optimStep({ rate = 0.01 }: Readonly<Record<string, number>>): Promise<void> {
    const { weights, first, second } = this.#state;
    const [keep, keepSquares] = [0.9, 0.999];
    this.#steps++;
    const correction = Math.sqrt(1 - keepSquares ** this.#steps) / (1 - keep ** this.#steps);
    for (let i = 0; i < size; i++) {
      const slope = this.#gradient[i];
      if (this.#optimiser === 'sgd') weights[i] = weights[i] - rate * slope;
      else {
        first[i] = keep * first[i] + (1 - keep) * slope;
        second[i] = keepSquares * second[i] + (1 - keepSquares) * slope * slope;
        weights[i] = weights[i] - (rate * correction * first[i]) / (Math.sqrt(second[i]) + 1e-8);
      }
    }
    this.#gradient.fill(0);
  }

  async logprobs(batch: readonly TokenRow[], of: 'current' | 'reference' = 'current'): Promise<readonly ArrayLike<number>[]> {
    return batch.map(({ tokens, mask }) => {
      const out = new Float64Array(tokens.length);
      const last = tokens.length - 1;
      if (mask[last] !== 0)
        out[last] = Math.log(this.#chances(decode(tokens), of === 'current' ? this.#state.weights : this.#state.reference)[tokens[last]]);
      return out;
    });
  }

  async refer(): Promise<void> {
    this.#state.reference.set(this.#state.weights);
  }

  /** The weights in use as text, so that a checkpoint needs no other file. */
  async save(): Promise<string> {
    const numbers = Array.from({ length: size }, (_, i) => i).filter((i) => states.some((name) => this.#state[name][i] !== 0));
    const rows = Object.fromEntries(states.map((name) => [name, numbers.map((i) => this.#state[name][i])]));
    return JSON.stringify({ terms: this.#terms, steps: this.#steps, numbers, ...rows });
  }

  async load(checkpoint: string): Promise<void> {
    const { terms, steps, numbers, ...rows } = JSON.parse(checkpoint) as Record<(typeof states)[number] | 'numbers', readonly number[]> & {
      readonly terms: TermCounts;
      readonly steps: number;
    };
    this.#terms = terms;
    this.#steps = steps;
    for (const name of states) {
      this.#state[name].fill(0);
      for (const [at, i] of numbers.entries()) this.#state[name][i] = rows[name][at];
    }
  }

  #reply(turn: Turn, temperature: number): Reply {
    const { choices = [] } = turn.ask;
    if (choices.length === 0) throw unlistedMoves(this.id, turn.ask.seat);
    const moves = featuresOf(turn, this.#terms);
    const chances = this.#chances(moves);
    // Temperature 0 is the limit: the most likely move; ties prefer the first.
    const choice =
      temperature === 0
        ? chances.indexOf(Math.max(...chances))
        : turn.rng.weighted(temperature === 1 ? chances : chances.map((chance) => chance ** (1 / temperature)));
    const call: ModelCall = {
      model: this.id,
      prompt: { messages: [] },
      text: choices[choice],
      finish: 'stop',
      usage: { promptTokens: 1, completionTokens: 1 },
      cost: 0,
      promptTokenIds: encode(moves),
      tokenIds: [choice],
      logprobs: [Math.log(chances[choice])],
    };
    return { action: { text: call.text }, calls: [call], chances: Object.fromEntries(choices.map((text, i) => [text, chances[i]])) };
  }

  #chances(moves: readonly (readonly Feature[])[], weights = this.#state.weights): number[] {
    const scores = moves.map((features) => features.reduce((sum, [number, value]) => sum + weights[number] * value, 0));
    const most = Math.max(...scores);
    const exps = scores.map((score) => Math.exp(score - most));
    const total = exps.reduce((sum, value) => sum + value, 0);
    return exps.map((value) => value / total);
  }
}

/** Writes features as tokens: for each move the number of its features, then their weight numbers and values in millionths. */
function encode(moves: readonly (readonly Feature[])[]): number[] {
  return moves.flatMap((features) => [features.length, ...features.flatMap(([number, value]) => [number, Math.round(value * unit)])]);
}

function decode(tokens: ArrayLike<number>): readonly (readonly Feature[])[] {
  const moves: Feature[][] = [];
  for (let at = 0; at < tokens.length - 1; ) {
    const end = at + 1 + 2 * tokens[at];
    const features: Feature[] = [];
    for (let i = at + 1; i < end; i += 2) features.push([tokens[i], tokens[i + 1] / unit]);
    moves.push(features);
    at = end;
  }
  return moves;
}
