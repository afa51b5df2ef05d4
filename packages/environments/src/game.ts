/** @file A whole game tree in flat arrays, for learners that play millions of episodes, and samples of such play. */

import type { Seat } from '@ludus-agents/kernel/internal/core/environment';
import type { View } from '@ludus-agents/kernel/internal/core/event';

/** The tree of a small environment. Nodes are numbered; node i has the children `children[first[i]]` to `children[first[i + 1] - 1]`. */
export interface FlatGame {
  readonly seats: readonly Seat[];
  readonly root: number;
  readonly first: Int32Array;
  readonly children: Int32Array;
  /** Parallel to `children`: at chance nodes, the cumulative probability up to this child. */
  readonly upTo: Float64Array;
  /** By node: the information set of a decision, −1 at chance, −2 at the end. */
  readonly setOf: Int32Array;
  /** By node and seat, at the ends. */
  readonly returns: Float64Array;
  /** By information set: the seat that decides, the number of choices, and the seat's previous decision (−1 for none). */
  readonly seatOf: Int32Array;
  readonly choices: Int32Array;
  readonly after: Int32Array;
  readonly afterChoice: Int32Array;
  /** Returns the view of the deciding seat at an information set. */
  readonly view: (set: number) => View;
}

/** Many episodes of a game tree: every decision to learn from, in order, and every seat's return. */
export interface Plays {
  readonly games: number;
  readonly decisions: number;
  readonly set: Int32Array;
  readonly choice: Int32Array;
  readonly game: Int32Array;
  /** By episode: the index of the first chance outcome, or 0 if there is none. */
  readonly deal: Int32Array;
  /** By episode and seat. */
  readonly returns: Float64Array;
}
