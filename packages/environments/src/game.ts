/** @file A whole game tree in flat arrays, for learners that play millions of episodes, and the samples of such play. */

import type { Seat } from '@ludus-agents/kernel/internal/core/environment';
import type { View } from '@ludus-agents/kernel/internal/core/event';

/** The tree of a small environment. Nodes are numbered; node i has the children `children[first[i]]` to `children[first[i + 1] - 1]`. */
export interface FlatGame {
  readonly seats: readonly Seat[];
  readonly root: number;
  readonly first: Int32Array;
  readonly children: Int32Array;
  /** Along `children`: at chance nodes, how likely this child or one before it is. */
  readonly upTo: Float64Array;
  /** By node: the information set of a decision, −1 at chance, −2 at the end. */
  readonly setOf: Int32Array;
  /** By node and seat, at the ends. */
  readonly returns: Float64Array;
  /** By information set: who decides, among how many choices, and which own decision came before (−1 for none). */
  readonly seatOf: Int32Array;
  readonly choices: Int32Array;
  readonly after: Int32Array;
  readonly afterChoice: Int32Array;
  /** What the deciding seat has seen at an information set. */
  readonly view: (set: number) => View;
}

/** Many episodes of a game tree: every decision to learn from, in order, and every seat's return. */
export interface Plays {
  readonly games: number;
  readonly decisions: number;
  readonly set: Int32Array;
  readonly choice: Int32Array;
  readonly game: Int32Array;
  /** By episode: the number of the first chance outcome; 0 where there is none. */
  readonly deal: Int32Array;
  /** By episode and seat. */
  readonly returns: Float64Array;
}
