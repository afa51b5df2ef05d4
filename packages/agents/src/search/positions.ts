/** @file Playing on from a position: the seat to move, the moves of others, and a random continuation to the end. */

import type { Action, Ask, Position, Rng, Seat } from '@ludus-agents/kernel/internal/core/index';

/** The seat whose move is looked for: one's own where it is asked, else the first that is. */
export function moverIn({ asks }: Position, ownText: Seat): Ask | undefined {
  return asks.find((ask) => ask.seat === ownText) ?? asks[0];
}

/** The position after the mover's move; other seats that are asked at once do anything. */
export function advance(position: Position, mover: Seat, move: string, rng: Rng): Position {
  const actions: Record<Seat, Action> = {};
  for (const { seat, choices } of position.asks)
    actions[seat] = { text: seat === mover ? move : choices !== undefined && choices.length > 0 ? rng.pick(choices) : '' };
  return position.step(actions, rng);
}

/** What each seat is paid if everyone does anything from here on, to the end or as far as the depth goes. */
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
  /** Whose move it is, where it is another seat's. */
  readonly by?: Seat;
  /** What was said of it, where values have words. */
  readonly words?: string;
  readonly next?: readonly TriedMove[];
};

/** The best of the moves by value; ties are broken at random. */
export function bestByValue(moves: readonly TriedMove[], rng: Rng): TriedMove {
  const most = Math.max(...moves.map(({ value }) => value));
  return rng.pick(moves.filter(({ value }) => value === most));
}
