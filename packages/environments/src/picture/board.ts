/** @file A board as a picture: one square for each character of its rows, coloured and lettered by what stands there. */

import type { ImagePart } from '@ludus-agents/kernel/internal/core/index';
import { blankCanvas, type Colour, fill, outline, textWidth, toImage, write } from './draw.ts';
import { letterHeight } from './font.ts';

const side = 28;
const scale = 3;

/** Ground and letter of marks; others are ink on paper. A blank letter is a plain square. */
const looks: Readonly<Record<string, readonly [ground: Colour, letter: Colour]>> = {
  '.': ['pale', 'line'],
  ' ': ['pale', 'pale'],
  '#': ['wall', 'wall'],
  '?': ['line', 'ink'],
  '@': ['paper', 'blue'],
  X: ['paper', 'red'],
  O: ['paper', 'blue'],
  F: ['ice', 'blue'],
  H: ['ink', 'paper'],
  G: ['paper', 'green'],
};

export interface BoardLooks {
  /** Squares take turns, as on a board of chess. */
  readonly chequered?: boolean;
  /** What stands beside the rows and below the columns. */
  readonly rows?: readonly string[];
  readonly columns?: readonly string[];
}

/** A board out of lines of one length, one character a square. The lines are the words that the picture stands for. */
export function boardImage(text: string, { chequered = false, rows = [], columns = [] }: BoardLooks = {}): ImagePart {
  const lines = text.split('\n');
  const wide = Math.max(1, ...lines.map((line) => line.length));
  const left = rows.length === 0 ? 1 : side;
  const canvas = blankCanvas(left + wide * side + 1, 1 + lines.length * side + (columns.length === 0 ? 0 : side));
  const letter = (mark: string, x: number, y: number, colour: Colour) => {
    const at = { x: x + Math.floor((side - textWidth(mark, scale)) / 2), y: y + Math.floor((side - letterHeight * scale) / 2) };
    write(canvas, mark, { ...at, scale, colour });
  };
  for (const [row, line] of lines.entries()) {
    const y = 1 + row * side;
    if (rows[row] !== undefined) letter(rows[row], 0, y, 'wall');
    for (const [column, mark] of [...line].entries()) {
      const x = left + column * side;
      const [ground, ink] = looks[mark] ?? ['paper', 'ink'];
      const square = { x, y, width: side, height: side };
      fill(canvas, square, chequered ? ((row + column) % 2 === 0 ? 'sand' : 'wood') : ground);
      outline(canvas, square, 'line');
      if (!chequered || mark !== '.') letter(mark, x, y, chequered ? (mark === mark.toUpperCase() ? 'red' : 'ink') : ink);
    }
  }
  for (const [column, name] of columns.entries()) letter(name, left + column * side, 1 + lines.length * side, 'wall');
  return toImage(canvas, text);
}
