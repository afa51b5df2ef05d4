/** @file Looking ahead: positions on which an agent tries moves, without seeing what its seat may not know. */

import type { Action, Ask, Seat } from './environment.ts';
import type { Rng } from './rng.ts';

/** A position that can be continued. It is immutable. */
export interface Position {
  /** The asked seats and their questions; none if the episode is over. */
  readonly asks: readonly Ask[];
  /** What each seat was paid since the position from which the search began, penalties taken off. */
  readonly returns: Readonly<Record<Seat, number>>;
  /** Positions with equal keys are equal. */
  key(): string;
  /** What a seat was told since the position from which the search began. */
  told(seat: Seat): readonly string[];
  /** Every asked seat acts; the dice are those of the one who looks ahead, never those of the episode. */
  step(actions: Readonly<Record<Seat, Action>>, rng: Rng): Position;
}

/** Simulates positions for an agent that looks ahead. */
export interface Simulator {
  readonly seat: Seat;
  readonly seats: readonly Seat[];
  /** The position itself where nothing is hidden, or one that may be it for all that the seat knows. */
  readonly exact: boolean;
  sample(rng: Rng): Position;
}
