/** @file Drawing: filled rectangles and letters on a canvas with a few colors, converted to a picture. */

import type { ImagePart } from '@ludus-agents/kernel/internal/core/index';
import { dotsOf, letterHeight, letterWidth } from './board.ts';
import { type Canvas, encodePng, type Palette } from './png.ts';

/** The colors by name. A pixel is the index of its color. */
const colours = {
  paper: '#ffffff',
  ink: '#1a1a1a',
  wall: '#4a4f57',
  pale: '#eef0f3',
  line: '#b9bec6',
  red: '#c0392b',
  blue: '#1f5fbf',
  green: '#23803d',
  amber: '#b36b00',
  violet: '#7a3fa0',
  ice: '#cfe4f7',
  wood: '#d9b98a',
  sand: '#f3e3c3',
} as const;

export type Colour = keyof typeof colours;
const names = Object.keys(colours) as readonly Colour[];
const numbers = Object.fromEntries(names.map((name, i) => [name, i])) as Readonly<Record<Colour, number>>;
const palette: Palette = Object.values(colours);

export function blankCanvas(width: number, height: number, colour: Colour = 'paper'): Canvas {
  return { width, height, pixels: new Uint8Array(width * height).fill(numbers[colour]) };
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function fill(canvas: Canvas, { x, y, width, height }: Rectangle, colour: Colour): void {
  const number = numbers[colour];
  for (let row = Math.max(0, y); row < Math.min(canvas.height, y + height); row++)
    canvas.pixels.fill(number, row * canvas.width + Math.max(0, x), row * canvas.width + Math.min(canvas.width, x + width));
}

/** Draws the outline of a box, one pixel wide. */
export function outline(canvas: Canvas, { x, y, width, height }: Rectangle, colour: Colour): void {
  for (const side of [
    { x, y, width, height: 1 },
    { x, y: y + height - 1, width, height: 1 },
    { x, y, width: 1, height },
    { x: x + width - 1, y, width: 1, height },
  ])
    fill(canvas, side, colour);
}

/** Returns the width of a text, with one dot between letters. */
export function textWidth(text: string, scale: number): number {
  return Math.max(0, [...text].length * (letterWidth + 1) - 1) * scale;
}

export interface Lettering {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  readonly colour: Colour;
}

export function write(canvas: Canvas, text: string, { x, y, scale, colour }: Lettering): void {
  let left = x;
  for (const character of text) {
    for (const [column, dots] of dotsOf(character).entries())
      for (let row = 0; row < letterHeight; row++)
        if ((dots >> row) & 1) fill(canvas, { x: left + column * scale, y: y + row * scale, width: scale, height: scale }, colour);
    left += (letterWidth + 1) * scale;
  }
}

/** Converts the canvas to a picture with an alternative text. */
export function toImage(canvas: Canvas, alt: string): ImagePart {
  let bytes = '';
  for (const byte of encodePng(canvas, palette)) bytes += String.fromCharCode(byte);
  return { media: 'image/png', data: btoa(bytes), width: canvas.width, height: canvas.height, alt };
}
