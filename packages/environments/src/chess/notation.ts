/** @file Chess moves as text: UCI (e2e4, e7e8q) and SAN (Nf3, exd5, O-O, e8=Q+). */

import { type ChessPosition, fromOf, type Move, promotionOf, toOf } from './position.ts';
import { letterOf, nameOfSquare } from './squares.ts';

const squares = Array.from({ length: 64 }, (_, square) => nameOfSquare(square));

const pairs = squares.flatMap((to) => squares.map((from) => from + to));

export function uciOf(move: Move): string {
  const promotion = promotionOf(move);
  const pair = pairs[(toOf(move) << 6) | fromOf(move)];
  return promotion > 0 ? pair + letterOf(-promotion) : pair;
}

const bracketed: string[] = new Array(1 << 15);

/** Flags for castling and similar moves don't affect the text. */
const writtenPart = (move: Move) => move & 0x7fff;

/** Returns the UCI text in square brackets, as moves are listed. Texts are cached across positions. */
export function bracketedUci(move: Move): string {
  const knownMove = bracketed[writtenPart(move)];
  if (knownMove !== undefined) return knownMove;
  const text = `[${uciOf(move)}]`;
  bracketed[writtenPart(move)] = text;
  return text;
}

/** Returns a legal move as SAN. `moves` are all legal moves of the position. */
export function sanOf(position: ChessPosition, move: Move, moves: readonly Move[]): string {
  const text = plainSan(position, move, moves);
  position.make(move);
  const check = position.inCheck() ? (position.moves().length === 0 ? '#' : '+') : '';
  position.undo();
  return text + check;
}

/** Returns the SAN without the sign for check or mate. */
export function plainSan(position: ChessPosition, move: Move, moves: readonly Move[]): string {
  const [from, to] = [fromOf(move), toOf(move)];
  if (position.isCastling(move)) return (to & 7) === 6 ? 'O-O' : 'O-O-O';
  const piece = Math.abs(position.board[from]);
  const taking = position.takes(move) ? 'x' : '';
  const target = squares[to];
  const promotion = promotionOf(move);
  if (piece === 1) return (taking ? `${squares[from]?.[0]}x` : '') + target + (promotion > 0 ? `=${letterOf(promotion)}` : '');
  let [rivals, sameFile, sameRow] = [false, false, false];
  for (const other of moves) {
    const start = fromOf(other);
    if (start === from || toOf(other) !== to || Math.abs(position.board[start]) !== piece) continue;
    rivals = true;
    if ((start & 7) === (from & 7)) sameFile = true;
    if (start >> 3 === from >> 3) sameRow = true;
  }
  const name = squares[from];
  const which = !rivals ? '' : !sameFile ? name[0] : !sameRow ? name[1] : name;
  return letterOf(piece) + which + taking + target;
}

/** Returns the legal move that a text names, in UCI or SAN. Signs for check, mate, and captures are optional. */
export function readMove(position: ChessPosition, moves: readonly Move[], text: string): Move | null {
  const written = readUci(text);
  if (written >= 0) for (const move of moves) if (writtenPart(move) === written) return move;
  return readSan(position, moves, text);
}

function readSan(position: ChessPosition, moves: readonly Move[], text: string): Move | null {
  const bare = (san: string) => san.replaceAll(/[+#x=]/g, '').replaceAll('0', 'O');
  const wanted = bare(text);
  return moves.find((move) => bare(plainSan(position, move, moves)) === wanted) ?? null;
}

/** Parses from-square, to-square, and promotion of a UCI move, ignoring case. Returns −1 if the text is not a UCI move. */
function readUci(text: string): number {
  if (text.length !== 4 && text.length !== 5) return -1;
  const [from, to] = [squareAt(text, 0), squareAt(text, 2)];
  const promotion = text.length === 4 ? 0 : '  nbrq'.indexOf(text[4].toLowerCase());
  return from < 0 || to < 0 || promotion < 0 ? -1 : from | (to << 6) | (promotion << 12);
}

function squareAt(text: string, at: number): number {
  const file = (text.charCodeAt(at) | 0x20) - 0x61;
  const row = 0x38 - text.charCodeAt(at + 1);
  return file >= 0 && file < 8 && row >= 0 && row < 8 ? row * 8 + file : -1;
}
