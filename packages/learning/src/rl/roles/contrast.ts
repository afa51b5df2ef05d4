/**
 * @file An encoder trained by contrast: two crops of one episode should be closer to each other than to crops of other episodes (symmetric
 * InfoNCE). It is linear in the shares of observations, so its gradient is written out.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { softmax } from '@ludus-agents/kernel/internal/core/mean';

/** The loss of a square matrix of similarities, with matching pairs on the diagonal, and its slope in each of them. */
export function infoNce(
  likeness: readonly (readonly number[])[],
  temperature: number,
): { readonly loss: number; readonly slope: readonly (readonly number[])[] } {
  const n = likeness.length;
  const rows = likeness.map((row) => softmax(row.map((value) => value / temperature)));
  const columns = likeness.map((_, j) => softmax(likeness.map((row) => row[j] / temperature)));
  let loss = 0;
  for (let i = 0; i < n; i++) loss -= (Math.log(rows[i][i]) + Math.log(columns[i][i])) / (2 * n);
  const slope = likeness.map((_, i) => likeness.map((_, j) => (rows[i][j] + columns[j][i] - (i === j ? 2 : 0)) / (2 * n * temperature)));
  return { loss, slope };
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * b[i], 0);

export function unit(vector: readonly number[]): readonly number[] {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Observations as numbers of their kinds. */
export type Observations = readonly number[];

/** A random crop of a sequence, at least half as long. */
export function cropOf(sequence: Observations, dice: Rng): Observations {
  const length = Math.max(1, Math.ceil(sequence.length / 2) + dice.int(Math.floor(sequence.length / 2) + 1));
  const from = dice.int(Math.max(1, sequence.length - length + 1));
  return sequence.slice(from, from + length);
}

export class Encoder {
  /** One row for each number of the embedding, one column for each kind of observation. */
  weights: number[][];

  constructor(width: number, kinds: number, dice: Rng) {
    this.weights = Array.from({ length: width }, () => Array.from({ length: kinds }, () => dice.next() - 0.5));
  }

  /** The embedding of observations, of length 1. */
  of(observed: Observations): readonly number[] {
    return unit(this.#project(observed));
  }

  /** One gradient step on the contrast of pairs of crops; returns the loss before it. */
  learn(pairs: readonly (readonly [Observations, Observations])[], { rate, temperature }: { rate: number; temperature: number }): number {
    const left = pairs.map(([observations]) => this.of(observations));
    const right = pairs.map(([, other]) => this.of(other));
    const { loss, slope } = infoNce(
      left.map((item) => right.map((other) => dot(item, other))),
      temperature,
    );
    const pull = (towards: readonly (readonly number[])[], by: readonly number[]) =>
      this.weights.map((_, d) => towards.reduce((sum, item, j) => sum + by[j] * item[d], 0));
    const slopes = this.weights.map((row) => row.map(() => 0));
    for (const [i, pair] of pairs.entries()) {
      this.#add(slopes, pair[0], pull(right, slope[i]));
      this.#add(
        slopes,
        pair[1],
        pull(
          left,
          slope.map((row) => row[i]),
        ),
      );
    }
    this.weights = this.weights.map((row, d) => row.map((value, k) => value - rate * slopes[d][k]));
    return loss;
  }

  #project(observed: Observations): readonly number[] {
    return this.weights.map((row) => observed.reduce((sum, kind) => sum + row[kind], 0) / Math.max(1, observed.length));
  }

  /** Backpropagates the slope of one crop's embedding, through its normalization, into the weights. */
  #add(slopes: number[][], observed: Observations, at: readonly number[]): void {
    const raw = this.#project(observed);
    const length = Math.max(1e-9, Math.hypot(...raw));
    const e = raw.map((value) => value / length);
    const along = dot(e, at);
    for (const [d, row] of slopes.entries()) {
      const step = (at[d] - along * e[d]) / length / observed.length;
      for (const kind of observed) row[kind] = row[kind] + step;
    }
  }
}
