/**
 * @file Decides which node of a tree of candidates to play next, and which to use as a parent, by the results of its whole clade.
 *
 * A clade's counts are pooled again at every call, from each node's own counts, which only change when it is played.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

interface Node {
  readonly parent: number;
  plays: number;
  /** The sum of scores; the number of successes, if scores are 0 or 1. */
  won: number;
}

export type WinCounts = { readonly plays: number; readonly won: number };

export interface CladeOptions {
  /** A node is added while the number of plays to this power is at least the number of nodes. */
  readonly alpha?: number;
  /** Choose parents by the clade's counts, or by the node's own, as a control. */
  readonly by?: 'clade' | 'own';
}

export class CladeTree {
  readonly #alpha: number;
  readonly #by: 'clade' | 'own';
  readonly #nodes: Node[] = [{ parent: -1, plays: 0, won: 0 }];
  #plays = 0;
  /** The observed range of scores: 0 to 1, unless some are outside of it. */
  #low = 0;
  #high = 1;

  constructor({ alpha = 0.6, by = 'clade' }: CladeOptions = {}) {
    this.#alpha = alpha;
    this.#by = by;
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** Adds a child and gives its number. */
  add(parent: number): number {
    this.#nodes.push({ parent, plays: 0, won: 0 });
    return this.#nodes.length - 1;
  }

  record(node: number, score: number): void {
    const ownEntry = this.#nodes[node];
    ownEntry.plays++;
    ownEntry.won += score;
    this.#plays++;
    this.#low = Math.min(this.#low, score);
    this.#high = Math.max(this.#high, score);
  }

  counts(node: number): WinCounts {
    const { plays, won } = this.#nodes[node];
    return { plays, won };
  }

  /** The counts of each node and all its descendants. Children have larger numbers than their parents. */
  clades(): readonly WinCounts[] {
    const sums = this.#nodes.map(({ plays, won }) => ({ plays, won }));
    for (let i = sums.length - 1; i > 0; i--) {
      const [ownEntry, above] = [sums[i], sums[this.#nodes[i].parent]];
      above.plays += ownEntry.plays;
      above.won += ownEntry.won;
    }
    return sums;
  }

  /** Whether a node should be added now. */
  get due(): boolean {
    return this.#plays ** this.#alpha >= this.#nodes.length - 1;
  }

  /** The parent of the next node: by Thompson sampling over clades. */
  parent(dice: Rng): number {
    return likeliest(
      (this.#by === 'clade' ? this.clades() : this.#nodes).map((winCounts) => this.#parts(winCounts)),
      dice,
    );
  }

  /** The node to play next: by Thompson sampling over nodes, excluding the root once there are others. */
  candidate(dice: Rng): number {
    const others = this.#nodes.slice(1).map((item) => this.#parts(item));
    return others.length === 0 ? 0 : 1 + likeliest(others, dice);
  }

  /** The node with the best lower bound, its mean minus 1/√plays, among those with at least `least` plays. */
  pick(least = 10): number {
    let [best, most] = [0, -Infinity];
    for (const [i, node] of this.#nodes.entries()) {
      const { plays, won } = this.#parts(node);
      if (plays < least) continue;
      const value = won / plays - 1 / Math.sqrt(plays);
      if (value > most) [best, most] = [i, value];
    }
    return best;
  }

  /** Scores as fractions of a success, scaled by their observed range. */
  #parts({ plays, won }: WinCounts): WinCounts {
    return { plays, won: (won - plays * this.#low) / (this.#high - this.#low) };
  }
}

/** The index with the largest draw from Beta(1 + won, 1 + lost). */
function likeliest(counts: readonly WinCounts[], dice: Rng): number {
  let [best, most] = [0, -1];
  for (const [i, { plays, won }] of counts.entries()) {
    const draw = beta(1 + won, 1 + plays - won, dice);
    if (draw > most) [best, most] = [i, draw];
  }
  return best;
}

export function beta(a: number, b: number, dice: Rng): number {
  const [x, y] = [gamma(a, dice), gamma(b, dice)];
  return x / (x + y);
}

/** Marsaglia and Tsang, for shapes of 1 and more. */
function gamma(shape: number, dice: Rng): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - dice.next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
