/** @file A program that sees: it reads a board back from the pixels of its picture, by an inflater that is not ours. */

import { crc32, inflateSync } from 'node:zlib';
import type { ImagePart } from '@ludus-agents/kernel/internal/core/index';
import { dotsOf } from './board.ts';

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** The number of the color at a place. */
  readonly at: (x: number, y: number) => number;
}

/** Reads a PNG of four bits a pixel, with all its sums checked. */
export function decodePng(bytes: Buffer): Pixels {
  if (bytes.readUInt32BE(0) !== 0x89504e47) throw new Error('no PNG');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const named = bytes.subarray(at + 4, at + 8 + length);
    if (crc32(named) !== bytes.readUInt32BE(at + 8 + length)) throw new Error('a wrong sum');
    chunks.set(named.toString('latin1', 0, 4), named.subarray(4));
    at += 12 + length;
  }
  const header = chunks.get('IHDR')!;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const rows = inflateSync(chunks.get('IDAT')!);
  const stride = 1 + Math.ceil(width / 2);
  if (rows.length !== stride * height) throw new Error('too many rows, or too few');
  return { width, height, at: (x, y) => (rows[y * stride + 1 + (x >> 1)]! >> (x % 2 === 0 ? 4 : 0)) & 15 };
}

const letters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));

/** Reads the board from a picture without row and column names: finds the letter whose dots are in each square. */
export function readBoard(image: Pick<ImagePart, 'data'>): string {
  const { width, height, at } = decodePng(Buffer.from(image.data, 'base64'));
  const [columns, rows] = [(width - 2) / 28, (height - 1) / 28];
  const read = (column: number, row: number) => {
    const [left, top] = [1 + column * 28, 1 + row * 28];
    const ground = at(left + 2, top + 2);
    const dots = [0, 1, 2, 3, 4].map((x) =>
      [0, 1, 2, 3, 4, 5, 6].reduce((sum, y) => sum | (at(left + 7 + 3 * x, top + 4 + 3 * y) === ground ? 0 : 1 << y), 0),
    );
    // A wall is a dark square, without a letter to be seen.
    if (dots.every((dot) => dot === 0)) return ground === 2 ? '#' : ' ';
    return letters.find((letter) => dotsOf(letter).every((dot, i) => dot === dots[i])) ?? '?';
  };
  return Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => read(column, row)).join('')).join('\n');
}
