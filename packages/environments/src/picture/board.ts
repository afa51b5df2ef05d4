/** @file Draws a board as a picture: one square for each character of its rows, colored and lettered by its content. */

import type { ImagePart } from '@ludus-agents/kernel/internal/core/index';
import { blankCanvas, type Colour, fill, outline, textWidth, toImage, write } from './draw.ts';

const first = 0x20;

const columns =
  '0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649562050 0008070300 001c224100 0041221c00 2a1c7f1c2a 08083e0808 ' +
  '0050300000 0808080808 0000606000 2010080402 3e5149453e 00427f4000 4261514946 2141454b31 1814127f10 2745454539 3c4a494930 0171090503 ' +
  '3649494936 064949291e 0000363600 0040563600 0008142241 1414141414 4122140800 0201590906 3e415d594e 7c1211127c 7f49494936 3e41414122 ' +
  '7f4141413e 7f49494941 7f09090901 3e41415173 7f0808087f 00417f4100 2040413f01 7f08142241 7f40404040 7f021c027f 7f0408107f 3e4141413e ' +
  '7f09090906 3e4151215e 7f09192946 2649494932 03017f0103 3f4040403f 1f2040201f 3f4038403f 6314081463 0304780403 6159494d43 007f414141 ' +
  '0204081020 004141417f 0402010204 4040404040 0003070800 2054547840 7f28444438 3844444428 384444287f 3854545418 00087e0902 0c5252523e ' +
  '7f08040478 00447d4000 2040403d00 7f10284400 00417f4000 7c04780478 7c08040478 3844444438 7c14141408 081414187c 7c08040408 4854545424 ' +
  '04043f4424 3c4040207c 1c2040201c 3c4030403c 4428102844 0c5050503c 4464544c44 0008364100 0000770000 0041360800 0201020402';

const letters = columns.split(' ').map((letter) => [0, 2, 4, 6, 8].map((at) => Number.parseInt(letter.slice(at, at + 2), 16)));

/** Glyphs of five by seven dots: the printable ASCII characters, five columns each, the lowest bit on top. */
export const letterWidth = 5;
export const letterHeight = 7;

/** Returns the five columns of a character, or a box for an unknown one. */
export function dotsOf(character: string): readonly number[] {
  return letters[character.charCodeAt(0) - first] ?? [0x7f, 0x41, 0x41, 0x41, 0x7f];
}

const side = 28;
const scale = 3;

/** Background and letter colors of marks; other marks are ink on paper. A blank letter is a plain square. */
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
  /** Alternates the colors of squares, as on a chessboard. */
  readonly chequered?: boolean;
  /** Labels next to the rows and below the columns. */
  readonly rows?: readonly string[];
  readonly columns?: readonly string[];
}

/** Draws a board from lines of equal length, one character per square. The lines are the text of the picture. */
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
