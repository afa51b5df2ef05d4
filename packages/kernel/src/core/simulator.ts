/** @file Looking ahead: positions on which an agent tries moves, without access to its seat's hidden information. */

import type { Action, Ask, Seat } from './environment.ts';
import type { Rng } from './rng.ts';

/** A position that can be continued. It is immutable. */
export interface Position {
  /** The asked seats and their questions; none if the episode is over. */
  readonly asks: readonly Ask[];
  /** Each seat's return since the position from which the search began, after penalties. */
  readonly returns: Readonly<Record<Seat, number>>;
  /** Positions with equal keys are equal. */
  key(): string;
  /** The messages to a seat since the position from which the search began. */
  told(seat: Seat): readonly string[];
  /** Every asked seat acts; the random numbers are those of the searching agent, never those of the episode. */
  step(actions: Readonly<Record<Seat, Action>>, rng: Rng): Position;
}

/** Simulates positions for an agent that looks ahead. */
export interface Simulator {
  readonly seat: Seat;
  readonly seats: readonly Seat[];
  /** Whether positions are the true one; otherwise they are consistent with the seat's knowledge. */
  readonly exact: boolean;
  sample(rng: Rng): Position;
}
