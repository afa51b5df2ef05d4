/** @file Chess moves as text: UCI (e2e4, e7e8q) and SAN (Nf3, exd5, O-O, e8=Q+). */

import { type ChessPosition, fromOf, letterOf, type Move, nameOfSquare, promotionOf, toOf } from './position.ts';

const squares = Array.from({ length: 64 }, (_, square) => nameOfSquare(square));

const pairs = squares.flatMap((to) => squares.map((from) => from + to));

export function uciOf(move: Move): string {
  const promotion = promotionOf(move);
  const pair = pairs[(toOf(move) << 6) | fromOf(move)]!;
  return promotion > 0 ? pair + letterOf(-promotion) : pair;
}

const bracketed = new Map<number, string>();

/** The same in square brackets, as moves are listed: each text is made once for all positions. */
export function bracketedUci(move: Move): string {
  // Marks of castling and the like say nothing about the text.
  const written = move & 0x7fff;
  const known = bracketed.get(written);
  if (known !== undefined) return known;
  const text = `[${uciOf(move)}]`;
  bracketed.set(written, text);
  return text;
}

/** A legal move as SAN; `moves` are all legal moves of the position. */
export function sanOf(position: ChessPosition, move: Move, moves: readonly Move[]): string {
  const text = plainSan(position, move, moves);
  position.make(move);
  const check = position.inCheck() ? (position.moves().length === 0 ? '#' : '+') : '';
  position.undo();
  return text + check;
}

/** Without the sign for check or mate. */
function plainSan(position: ChessPosition, move: Move, moves: readonly Move[]): string {
  const [from, to] = [fromOf(move), toOf(move)];
  if (position.isCastling(move)) return (to & 7) === 6 ? 'O-O' : 'O-O-O';
  const piece = Math.abs(position.board[from]!);
  const taking = position.takes(move) ? 'x' : '';
  const target = squares[to]!;
  const promotion = promotionOf(move);
  if (piece === 1) return (taking ? `${squares[from]?.[0]}x` : '') + target + (promotion > 0 ? `=${letterOf(promotion)}` : '');
  let [rivals, sameFile, sameRow] = [false, false, false];
  for (const other of moves) {
    const start = fromOf(other);
    if (start === from || toOf(other) !== to || Math.abs(position.board[start]!) !== piece) continue;
    rivals = true;
    if ((start & 7) === (from & 7)) sameFile = true;
    if (start >> 3 === from >> 3) sameRow = true;
  }
  const name = squares[from]!;
  const which = !rivals ? '' : !sameFile ? name[0] : !sameRow ? name[1] : name;
  return letterOf(piece) + which + taking + target;
}

/** The legal move that a text names, in UCI or SAN; signs for check, mate and taking may be left out. */
export function readMove(position: ChessPosition, moves: readonly Move[], text: string): Move | null {
  const lower = `[${text.toLowerCase()}]`;
  const uci = moves.find((move) => bracketedUci(move) === lower);
  if (uci !== undefined) return uci;
  const bare = (san: string) => san.replaceAll(/[+#x=]/g, '').replaceAll('0', 'O');
  const wanted = bare(text);
  return moves.find((move) => bare(plainSan(position, move, moves)) === wanted) ?? null;
}
