/**
 * @file Which node of a tree of candidates to play next, and which to breed from: by how well its whole clade does.
 *
 * A clade's counts are pooled afresh at every call, from each node's own counts, which nothing but a play changes.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

interface Node {
  readonly parent: number;
  plays: number;
  /** The sum of scores: successes, where they are won or lost. */
  won: number;
}

export type WinCounts = { readonly plays: number; readonly won: number };

export interface CladeOptions {
  /** A node is added while the plays to this power are at least as many as the nodes. */
  readonly alpha?: number;
  /** Breed by the clade's counts, or by the node's own, which is the control. */
  readonly by?: 'clade' | 'own';
}

export class CladeTree {
  readonly #alpha: number;
  readonly #by: 'clade' | 'own';
  readonly #nodes: Node[] = [{ parent: -1, plays: 0, won: 0 }];
  #plays = 0;
  /** What scores have ranged over: from 0 to 1 unless some went beyond. */
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

  /** Is it time to breed? */
  get due(): boolean {
    return this.#plays ** this.#alpha >= this.#nodes.length - 1;
  }

  /** Whom to breed from: a draw from what is believed of every clade. */
  parent(dice: Rng): number {
    return likeliest(
      (this.#by === 'clade' ? this.clades() : this.#nodes).map((winCounts) => this.#parts(winCounts)),
      dice,
    );
  }

  /** Whom to play: a draw from what is believed of every node. The root has nothing to prove once there are others. */
  candidate(dice: Rng): number {
    const others = this.#nodes.slice(1).map((item) => this.#parts(item));
    return others.length === 0 ? 0 : 1 + likeliest(others, dice);
  }

  /** The node that is best with some certainty: its mean less one over the root of its plays, among those played so often. */
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

  /** Scores as parts of a success, within what they have ranged over. */
  #parts({ plays, won }: WinCounts): WinCounts {
    return { plays, won: (won - plays * this.#low) / (this.#high - this.#low) };
  }
}

/** The largest of one draw each from Beta(1 + won, 1 + lost). */
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
