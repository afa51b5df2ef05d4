/**
 * @file The time-averaged policy of a run: each update's policy counts at an information set by how likely its own moves lead there.
 *
 * Without regularization the last policy of self-play cycles, and this is what converges.
 */

import type { FlatGame } from '@ludus-agents/environments/internal/game';
import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';

export class AveragePolicy {
  readonly #game: FlatGame;
  #sums: Float64Array[];
  readonly #reach: Float64Array;

  constructor(game: FlatGame) {
    this.#game = game;
    this.#sums = Array.from(game.choices, (choices) => new Float64Array(choices));
    this.#reach = new Float64Array(game.choices.length);
  }

  add(strategy: readonly ArrayLike<number>[]): void {
    const { after, afterChoice } = this.#game;
    // A set always has a higher number than the same seat's previous set.
    for (let set = 0; set < this.#sums.length; set++) {
      const before = after[set];
      const reach = before < 0 ? 1 : this.#reach[before] * strategy[before][afterChoice[set]];
      this.#reach[set] = reach;
      const sum = this.#sums[set];
      const mix = strategy[set];
      for (let i = 0; i < sum.length; i++) sum[i] = sum[i] + reach * mix[i];
    }
  }

  strategy(): readonly ArrayLike<number>[] {
    return this.#sums.map((sum) => {
      const total = sum.reduce((all, value) => all + value, 0);
      return total > 0 ? sum.map((value) => value / total) : sum.map(() => 1 / sum.length);
    });
  }

  write(): JsonObject {
    return { sums: this.#sums.map((sum) => [...sum]) };
  }

  read(from: JsonObject): void {
    this.#sums = (from['sums'] as readonly (readonly number[])[]).map((sum) => Float64Array.from(sum));
  }
}
