/** @file A small alpha-beta search: material and piece squares, a few half-moves deep, with all captures searched to the end. */

import { type ChessPosition, fromOf, type Move, promotionOf, toOf } from './position.ts';

const worth = [0, 100, 320, 330, 500, 900, 0];
const mate = 100_000;

/** Central squares are worth more; pawns gain by advancing; kings stay back while there are queens. */
const squares = Array.from({ length: 7 }, (_, piece) =>
  Int16Array.from({ length: 64 }, (_one, square) => {
    const [x, y] = [square & 7, square >> 3];
    const middle = 3 - Math.max(Math.abs(x - 3.5), Math.abs(y - 3.5));
    if (piece === 1) return (6 - y) * 6 + (x === 3 || x === 4 ? 8 : 0);
    if (piece === 6) return y === 7 ? 12 : -6 * (7 - y);
    return piece === 4 ? 0 : Math.round(middle * 6);
  }),
);

/** Returns the value of a position for the side to move. */
function evaluate({ board, side }: ChessPosition): number {
  let sum = 0;
  for (let square = 0; square < 64; square++) {
    const piece = board[square];
    if (piece > 0) sum += worth[piece] + (squares[piece]?.[square] as number);
    else if (piece < 0) sum -= worth[-piece] + (squares[-piece]?.[square ^ 56] as number);
  }
  return sum * side;
}

/** Orders captures of valuable pieces by cheap ones first, to improve cutoffs. */
function orderMoves(position: ChessPosition, moves: Move[]): Move[] {
  const gain = (move: Move) =>
    (position.takes(move) ? 1000 + worth[Math.abs(position.board[toOf(move)])] * 8 : 0) -
    (position.takes(move) ? worth[Math.abs(position.board[fromOf(move)])] : 0) +
    worth[promotionOf(move)] * 8;
  const gains = new Map(moves.map((move) => [move, gain(move)]));
  return moves.sort((a, b) => (gains.get(b) as number) - (gains.get(a) as number));
}

function settle(position: ChessPosition, low: number, high: number, depth: number): number {
  let best = evaluate(position);
  if (best >= high || depth === 0) return best;
  const captures = position.moves().filter((move) => position.takes(move));
  for (const move of orderMoves(position, captures)) {
    position.make(move);
    const value = -settle(position, -high, -Math.max(low, best), depth - 1);
    position.undo();
    if (value > best) best = value;
    if (best >= high) break;
  }
  return best;
}

function search(position: ChessPosition, depth: number, low: number, high: number): number {
  if (depth === 0) return settle(position, low, high, 2);
  const moves = position.moves();
  if (moves.length === 0) return position.inCheck() ? -mate - depth : 0;
  if (position.isDead() || position.quiet >= 100) return 0;
  let best = -Infinity;
  for (const move of orderMoves(position, moves)) {
    position.make(move);
    const value = -search(position, depth - 1, -high, -Math.max(low, best));
    position.undo();
    if (value > best) best = value;
    if (best >= high) break;
  }
  return best;
}

/** Returns all best moves of a position at a search depth in half-moves. They have equal values. */
export function bestMoves(position: ChessPosition, depth: number): readonly Move[] {
  let best = -Infinity;
  let matches: Move[] = [];
  for (const move of orderMoves(position, position.moves())) {
    position.make(move);
    // The bound is one below the best value, so that equally good moves are distinguished from worse ones.
    const value = -search(position, depth - 1, -Infinity, -(best - 1));
    position.undo();
    if (value > best) {
      best = value;
      matches = [move];
    } else if (value === best) matches.push(move);
  }
  return matches;
}
