/**
 * @file A chess position as text: eight rows of letters and dots, and its FEN.
 *
 * Each text is built from character codes in one piece: concatenated strings would keep all their parts in memory for as long as the log.
 */

import type { ChessPosition } from './position.ts';
import { letterOf, nameOfSquare } from './squares.ts';

const king = 6;
/** Character codes of pieces from the black king, −6, to the white king; a dot for an empty square. */
const letterCodes = Uint8Array.from({ length: 13 }, (_, i) => (i === king ? '.' : letterOf(i - king)).charCodeAt(0));
const [zero, slash, newline] = [0x30, 0x2f, 0x0a];

/** The FEN parts for the side to move and the castling rights, indexed by both. */
const sideTexts = Array.from({ length: 32 }, (_, i) => {
  const rights = [...'KQkq'].filter((_, bit) => (i >> (bit + 1)) & 1).join('');
  return ` ${i & 1 ? 'b' : 'w'} ${rights || '-'} `;
});

/** The text being built, its current length, and cached prefixes by length. */
const codes = new Uint8Array(512);
let length = 0;
const beginnings: Uint8Array[] = [];
const decoder = new TextDecoder();

function add(text: string): void {
  for (let i = 0; i < text.length; i++) codes[length++] = text.charCodeAt(i);
}

function take(): string {
  beginnings[length] ??= codes.subarray(0, length);
  const text = decoder.decode(beginnings[length]);
  length = 0;
  return text;
}

/** Adds eight rows of eight squares, each followed by a line break. */
function addRows(board: Int8Array): void {
  for (let square = 0; square < 64; square++) {
    codes[length++] = letterCodes[board[square] + king];
    if ((square & 7) === 7) codes[length++] = newline;
  }
}

function addKey(position: ChessPosition): void {
  const { board } = position;
  let empty = 0;
  for (let square = 0; square < 64; square++) {
    const piece = board[square];
    if (piece === 0) empty++;
    if (empty > 0 && (piece !== 0 || (square & 7) === 7)) {
      codes[length++] = zero + empty;
      empty = 0;
    }
    if (piece !== 0) codes[length++] = letterCodes[piece + king];
    if ((square & 7) === 7 && square < 63) codes[length++] = slash;
  }
  add(sideTexts[position.rights * 2 + (position.side === 1 ? 0 : 1)]);
  const passing = position.takenInPassing();
  add(passing < 0 ? '-' : nameOfSquare(passing));
}

/** Returns the key for the repetition rule: a FEN without its two counters. */
export function keyText(position: ChessPosition): string {
  addKey(position);
  return take();
}

export interface PositionText {
  /** An optional line on the last move, eight rows of letters and dots, and the FEN below. */
  readonly text: string;
  readonly fen: string;
  readonly key: string;
}

/** Returns all texts of a position as parts of one string. It may start with a short line: player, move, and a full stop. */
export function positionText(position: ChessPosition, who = '', move = '', stop = ''): PositionText {
  add(who);
  add(move);
  add(stop);
  addRows(position.board);
  const fen = length;
  addKey(position);
  const key = length;
  add(' ');
  add(String(position.quiet));
  add(' ');
  add(String(position.number));
  const text = take();
  return { text, fen: text.slice(fen), key: text.slice(fen, key) };
}
