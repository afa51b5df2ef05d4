/** @file Plays on from a position: the seat to move, the moves of others, and a random continuation to the end. */

import type { Action, Ask, Position, Rng, Seat } from '@ludus-agents/kernel/internal/core/index';

/** The ask to search a move for: the agent's own seat's, else the first. */
export function moverIn({ asks }: Position, ownText: Seat): Ask | undefined {
  return asks.find((ask) => ask.seat === ownText) ?? asks[0];
}

/** The position after the mover's move; other seats with simultaneous asks move at random. */
export function advance(position: Position, mover: Seat, move: string, rng: Rng): Position {
  const actions: Record<Seat, Action> = {};
  for (const { seat, choices } of position.asks)
    actions[seat] = { text: seat === mover ? move : choices !== undefined && choices.length > 0 ? rng.pick(choices) : '' };
  return position.step(actions, rng);
}

/** Every seat's return if all seats play at random from here, to the end or to the given depth. */
export function playOut(from: Position, ownText: Seat, depth: number, rng: Rng): Position['returns'] {
  let position = from;
  for (let i = 0; i < depth; i++) {
    const mover = moverIn(position, ownText);
    if (mover?.choices === undefined || mover.choices.length === 0) break;
    position = advance(position, mover.seat, rng.pick(mover.choices), rng);
  }
  return position.returns;
}

/** One move with the results of the search, and the moves tried after it if a tree was grown. */
export type TriedMove = {
  readonly move: string;
  readonly visits: number;
  readonly value: number;
  /** The seat that moves, if it is not the searching seat. */
  readonly by?: Seat;
  /** The comment on its value, if there is one. */
  readonly words?: string;
  readonly next?: readonly TriedMove[];
};

/** The best of the moves by value; ties are broken at random. */
export function bestByValue(moves: readonly TriedMove[], rng: Rng): TriedMove {
  const most = Math.max(...moves.map(({ value }) => value));
  return rng.pick(moves.filter(({ value }) => value === most));
}
