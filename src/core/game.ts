/** @file A whole game in flat arrays, for learners that play millions of episodes, and what such play leaves behind. */

import type { Seat } from './environment.ts';
import type { View } from './event.ts';

/** The tree of a small world. Nodes are numbered; node i has the children `children[first[i]]` to `children[first[i + 1] - 1]`. */
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

/** Many episodes of a flat game: every decision that is to be learned from, in order, and every seat's return. */
export interface Plays {
  readonly games: number;
  readonly decisions: number;
  readonly set: Int32Array;
  readonly choice: Int32Array;
  readonly game: Int32Array;
  /** By game: what chance did first, numbered; 0 where it does nothing first. */
  readonly deal: Int32Array;
  /** By game and seat. */
  readonly returns: Float64Array;
}
