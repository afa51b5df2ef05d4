/** @file A board of X and O, with the line that won. */

import type { GridPicture } from '../api.ts';
import type { Eyes } from './index.ts';

interface Board {
  readonly cells: string;
  readonly task: { readonly columns: number; readonly rows: number; readonly k: number; readonly gravity: boolean };
}

/** A free cell is a move; with gravity its column is. */
export function drawGrid({ cells, task: { columns, rows, k, gravity } }: Board, { choices }: Pick<Eyes, 'choices'>): GridPicture {
  const plays = [...cells].flatMap((mark, cell) => {
    const move = `[${gravity ? cell % columns : cell}]`;
    return mark === '.' && choices.includes(move) ? [{ move, cells: [cell] }] : [];
  });
  return { kind: 'grid', columns, rows, cells, gravity, won: lineOf(cells, columns, rows, k), plays };
}

/** The first k in a row, or nothing. */
function lineOf(cells: string, columns: number, rows: number, k: number): readonly number[] {
  const directions = [
    [1, 0],
    [0, 1],
    [1, 1],
    [1, -1],
  ] as const;
  for (let cell = 0; cell < cells.length; cell++) {
    if (cells[cell] === '.') continue;
    const [x, y] = [cell % columns, Math.floor(cell / columns)];
    for (const [dx, dy] of directions) {
      const [endX, endY] = [x + dx * (k - 1), y + dy * (k - 1)];
      if (endX >= columns || endY >= rows || endY < 0) continue;
      const line = Array.from({ length: k }, (_, i) => (y + dy * i) * columns + x + dx * i);
      if (line.every((value) => cells[value] === cells[cell])) return line;
    }
  }
  return [];
}
