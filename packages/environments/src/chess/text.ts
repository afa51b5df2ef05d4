/**
 * @file A chess position as text: eight rows of letters and dots, and its FEN.
 *
 * Texts are made in one piece, of codes: one that is put together of parts keeps every part in memory as long as the log.
 */

import type { ChessPosition } from './position.ts';
import { letterOf, nameOfSquare } from './squares.ts';

const king = 6;
/** Codes of the letters of pieces from the black king, −6, to the white one; a dot where there is none. */
const letterCodes = Uint8Array.from({ length: 13 }, (_, i) => (i === king ? '.' : letterOf(i - king)).charCodeAt(0));
const [zero, slash, newline] = [0x30, 0x2f, 0x0a];

/** What a FEN says about the side to move and the rights to castle, by both. */
const sideTexts = Array.from({ length: 32 }, (_, i) => {
  const rights = [...'KQkq'].filter((_, bit) => (i >> (bit + 1)) & 1).join('');
  return ` ${i & 1 ? 'b' : 'w'} ${rights || '-'} `;
});

/** The text that is being written, how long it is so far, and its beginnings by their length. */
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

/** Rows of eight squares, each with a line break after it. */
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

/** What makes two positions the same for the rule of repetition: a FEN without its two numbers. */
export function keyText(position: ChessPosition): string {
  addKey(position);
  return take();
}

export interface PositionText {
  /** Its own line, if any, eight rows of letters and dots, and the FEN below. */
  readonly text: string;
  readonly fen: string;
  readonly key: string;
}

/** All texts of a position are parts of one, which may begin with a short line: who plays, what, and a full stop. */
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
