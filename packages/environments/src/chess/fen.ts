/** @file Parses a FEN into a chess position. Throws with a reason if the position is impossible. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { ChessPosition } from './position.ts';
import { pieces, squareOf } from './squares.ts';

const [pawn, rook, king] = [1, 4, 6];

/** Sets up an empty position from a FEN. */
export function readFen(fen: string, position: ChessPosition): void {
  const wrong = (what: string) => new Fault('input', `A chess position (FEN) must ${what}, but got "${fen}".`);
  const [rows = '', side = '', rights = '', passing = '-', quiet = '0', number = '1', ...more] = fen.trim().split(/\s+/);
  let square = 0;
  for (const row of rows.split('/')) {
    const begin = square;
    for (const mark of row) {
      const piece = pieces.indexOf(mark.toUpperCase());
      if (mark >= '1' && mark <= '8') square += Number(mark);
      else if (piece > 0 && square < 64) position.board[square++] = mark === mark.toUpperCase() ? piece : -piece;
      else throw wrong('have rows of the letters PNBRQK pnbrqk and of numbers of empty squares');
    }
    if (square !== begin + 8) throw wrong('have eight rows of eight squares');
  }
  if (square !== 64 || more.length > 0) throw wrong('have eight rows of eight squares and at most six fields');
  if (side !== 'w' && side !== 'b') throw wrong('say w or b for the side to move');
  if (!/^(?:-|K?Q?k?q?)$/.test(rights) || rights === '') throw wrong('have rights to castle such as KQkq or -');
  if (!/^(?:-|[a-h][36])$/.test(passing)) throw wrong('have - or a square of the third or sixth row for captures in passing');
  if (!/^\d{1,3}$/.test(quiet) || !/^\d{1,4}$/.test(number)) throw wrong('end with two whole numbers');
  position.side = side === 'w' ? 1 : -1;
  const current: readonly (readonly [string, number, number, number])[] = [
    ['K', 60, 63, 1],
    ['Q', 60, 56, 2],
    ['k', 4, 7, 4],
    ['q', 4, 0, 8],
  ];
  for (const [letter, home, corner, bit] of current) {
    const colour = bit < 4 ? 1 : -1;
    // A castling right is ignored unless its king and rook are on their home squares.
    if (rights.includes(letter) && position.board[home] === king * colour && position.board[corner] === rook * colour)
      position.rights |= bit;
  }
  position.quiet = Number(quiet);
  position.number = Math.max(1, Number(number));
  for (const colour of [1, -1]) {
    const at = position.board.indexOf(king * colour);
    if (at < 0 || position.board.lastIndexOf(king * colour) !== at) throw wrong('have one king of each colour');
    position.kings[colour === 1 ? 0 : 1] = at;
  }
  for (let i = 0; i < 8; i++)
    for (const at of [i, 56 + i]) if (Math.abs(position.board[at]) === pawn) throw wrong('have no pawn on the first or last row');
  if (position.isAttacked(position.kings[position.side === 1 ? 1 : 0], position.side))
    throw wrong('not let the side to move take the king');
  if (passing !== '-') {
    const at = squareOf(passing);
    const behind = at + 8 * position.side;
    if (position.board[behind] === -pawn * position.side && position.board[at] === 0 && at >> 3 === (position.side === 1 ? 2 : 5))
      position.passing = at;
  }
}
