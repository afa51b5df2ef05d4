/**
 * @file Plays a game tree by a table of probabilities and estimates the value of every choice with low variance.
 *
 * In each game one seat, in turn, explores: with a given share it chooses uniformly, and only its decisions are estimated. Its own moves do
 * not change how likely the hidden states of its information sets are, so the estimates stay unbiased. Learned values of positions serve as
 * control variates for the choices that were not taken and for chance (VR-MCCFR, arXiv 1809.03057).
 */

import type { FlatGame } from '@ludus-agents/environments/internal/game';
import type { JsonObject, Rng } from '@ludus-agents/kernel/internal/core/index';

/** The strategy of every seat: for each information set the probability of each choice. */
export type StrategyTable = readonly ArrayLike<number>[];

export interface SamplerOptions {
  /** How often the exploring seat chooses uniformly. */
  readonly explore: number;
  /** The weight of a position's old value when it is visited; null disables control variates, as a control. */
  readonly decay: number | null;
}

/** Estimates of one batch of games. Lists by choice are indexed from `TreeSampler.offsets[set]`; the next batch overwrites them. */
export interface ChoiceValues {
  /** By information set: the number of decisions by the exploring seat. */
  readonly visits: Float64Array;
  /** By choice: its mean return to the deciding seat; 0 if the set was not visited. */
  readonly values: Float64Array;
  /** The mean return of the first seat, and its range. */
  readonly returned: number;
  readonly spread: number;
}

export class TreeSampler {
  /** By information set: the index of its first choice. */
  readonly offsets: Int32Array;
  readonly #game: FlatGame;
  readonly #options: SamplerOptions;
  /** By seat and position; in zero-sum games the second seat's values are the first's negated. */
  readonly #positions: readonly Float64Array[];
  readonly #signs: readonly number[];
  readonly #chances: Float64Array;
  readonly #visits: Float64Array;
  readonly #values: Float64Array;
  #seat = 0;
  #dice!: Rng;
  #end = 0;

  constructor(game: FlatGame, options: SamplerOptions) {
    const { choices, seats, setOf } = game;
    this.#game = game;
    this.#options = options;
    this.offsets = new Int32Array(choices.length + 1);
    for (let set = 0; set < choices.length; set++) this.offsets[set + 1] = this.offsets[set] + choices[set];
    const total = this.offsets[choices.length];
    this.#chances = new Float64Array(total);
    this.#values = new Float64Array(total);
    this.#visits = new Float64Array(choices.length);
    if (isZeroSum(game)) {
      const values = new Float64Array(setOf.length);
      this.#positions = [values, values];
      this.#signs = [1, -1];
    } else {
      this.#positions = seats.map(() => new Float64Array(setOf.length));
      this.#signs = seats.map(() => 1);
    }
  }

  play(strategy: StrategyTable, games: number, dice: Rng): ChoiceValues {
    const { seats, returns } = this.#game;
    for (let set = 0; set < strategy.length; set++) this.#chances.set(strategy[set], this.offsets[set]);
    this.#visits.fill(0);
    this.#values.fill(0);
    this.#dice = dice;
    let [sum, low, high] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let played = 0; played < games; played++) {
      this.#seat = played % seats.length;
      this.#descend(this.#game.root);
      const won = returns[this.#end * seats.length];
      sum += won;
      if (won < low) low = won;
      if (won > high) high = won;
    }
    for (let set = 0; set < this.#visits.length; set++) {
      const visits = this.#visits[set];
      if (visits === 0) continue;
      for (let at = this.offsets[set]; at < this.offsets[set + 1]; at++) this.#values[at] = this.#values[at] / visits;
    }
    return { visits: this.#visits, values: this.#values, returned: sum / games, spread: high - low };
  }

  write(): JsonObject {
    return { positions: [...new Set(this.#positions)].map((values) => Buffer.from(values.buffer).toString('base64')) };
  }

  read(from: JsonObject): void {
    for (const [i, values] of [...new Set(this.#positions)].entries()) {
      const bytes = Buffer.from((from['positions'] as readonly string[])[i], 'base64');
      values.set(new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)));
    }
  }

  /** Plays on from a node; returns an unbiased estimate of its value to the exploring seat, with the sign of the stored values. */
  #descend(node: number): number {
    const game = this.#game;
    const set = game.setOf[node];
    if (set === -2) {
      this.#end = node;
      return this.#signs[this.#seat] * game.returns[node * game.seats.length + this.#seat];
    }
    return set === -1 ? this.#roll(node) : this.#decide(node, set);
  }

  #roll(node: number): number {
    const { first, children, upTo } = this.#game;
    const [from, end] = [first[node], first[node + 1]];
    const roll = this.#dice.next();
    let at = from;
    while (at < end - 1 && roll >= upTo[at]) at++;
    const child = children[at];
    const value = this.#descend(child);
    const { decay } = this.#options;
    if (decay === null) return value;
    const positions = this.#positions[this.#seat];
    let [mean, before] = [0, 0];
    for (let i = from; i < end; i++) {
      mean += (upTo[i] - before) * positions[children[i]];
      before = upTo[i];
    }
    const corrected = mean + value - positions[child];
    positions[child] = decay * positions[child] + (1 - decay) * value;
    return corrected;
  }

  #decide(node: number, set: number): number {
    const { first, children, seatOf } = this.#game;
    const [from, to] = [this.offsets[set], this.offsets[set + 1]];
    const chances = this.#chances;
    const isMine = seatOf[set] === this.#seat;
    const explore = isMine ? this.#options.explore : 0;
    const uniform = explore / (to - from);
    let roll = this.#dice.next();
    let at = from;
    for (; at < to - 1; at++) {
      roll -= (1 - explore) * chances[at] + uniform;
      if (roll < 0) break;
    }
    const child = children[first[node] + at - from];
    const value = this.#descend(child);
    const { decay } = this.#options;
    const positions = this.#positions[this.#seat];
    const expected = decay === null ? 0 : positions[child];
    const correction = (value - expected) / ((1 - explore) * chances[at] + uniform);
    if (isMine) this.#visits[set] = this.#visits[set] + 1;
    const sign = this.#signs[this.#seat];
    let mean = 0;
    for (let i = from; i < to; i++) {
      const estimate = (decay === null ? 0 : positions[children[first[node] + i - from]]) + (i === at ? correction : 0);
      mean += chances[i] * estimate;
      if (isMine) this.#values[i] = this.#values[i] + sign * estimate;
    }
    if (decay !== null) positions[child] = decay * expected + (1 - decay) * value;
    return mean;
  }
}

function isZeroSum({ seats, setOf, returns }: FlatGame): boolean {
  if (seats.length !== 2) return false;
  for (let node = 0; node < setOf.length; node++)
    if (setOf[node] === -2 && Math.abs(returns[node * 2] + returns[node * 2 + 1]) > 1e-9) return false;
  return true;
}
