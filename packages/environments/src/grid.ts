/**
 * @file Shared parts of grid environments: four directions, maps as rows, and the split of generated maps into training and held-out maps.
 */

import { Fault, parameter } from '@ludus-agents/kernel/internal/core/index';

/** The directions in frozen-lake order, so that the two neighbors of a direction in this list are perpendicular to it. */
export const gridDirections = ['left', 'down', 'right', 'up'] as const;

/** Moves as text, in the same order. */
export const gridMoves: readonly string[] = gridDirections.map((direction) => `[${direction}]`);

/** Returns the cell in a direction, or −1 beyond the edge. */
export function neighbour(cell: number, direction: number, columns: number, rows: number): number {
  const column = cell % columns;
  if (direction === 0) return column === 0 ? -1 : cell - 1;
  if (direction === 2) return column === columns - 1 ? -1 : cell + 1;
  const next = direction === 1 ? cell + columns : cell - columns;
  return next < 0 || next >= columns * rows ? -1 : next;
}

/** Formats cells, row by row, as lines of text. */
export function rowsText(cells: string, columns: number): string {
  let text = cells.slice(0, columns);
  for (let i = columns; i < cells.length; i += columns) text += `\n${cells.slice(i, i + columns)}`;
  return text;
}

const [newline, dot] = [0x0a, 0x2e] as const;
const blanks: (readonly number[])[] = [];

/** Returns a board of dots with line breaks as character codes. Marks can be written into it at `placeInRows`. */
export function blankRows(columns: number, rows: number): number[] {
  const key = columns * 65 + rows;
  blanks[key] ??= Array.from({ length: rows * (columns + 1) - 1 }, (_, i) => (i % (columns + 1) === columns ? newline : dot));
  return blanks[key].slice();
}

export const placeInRows = (cell: number, columns: number) => cell + Math.floor(cell / columns);

export function withCell(cells: string, cell: number, mark: string): string {
  return cells.slice(0, cell) + mark + cells.slice(cell + 1);
}

/** Caches a text for each small integer. */
export function writeOnce(write: (index: number) => string): (index: number) => string {
  const texts: string[] = [];
  return (index) => (texts[index] ??= write(index));
}

export interface GridMap {
  readonly cells: string;
  readonly columns: number;
  readonly rows: number;
}

/** Parses a user's map: rows joined by "/", all of the same length, with known marks only. */
export function readMap(world: string, text: string, marks: string): GridMap {
  const rows = text.split('/');
  const columns = Math.max(...rows.map((row) => row.length));
  const problem =
    columns === 0 || columns > 64 || rows.length > 64
      ? 'have 1 to 64 rows of 1 to 64 cells'
      : rows.some((row) => row.length !== columns)
        ? 'have rows of one length'
        : [...rows.join('')].some((mark) => !marks.includes(mark))
          ? `consist of the marks "${marks}"`
          : null;
  if (problem !== null) throw new Fault('input', `${world}: a map, its rows joined by "/", must ${problem}, but got "${text}".`);
  return { cells: rows.join(''), columns, rows: rows.length };
}

/** The split of generated maps that an episode draws from. One map in five, selected by its content, is held out. */
export const splitParameter = parameter.choice({
  options: ['any', 'train', 'held-out'],
  default: 'any',
  description: 'which generated maps may be drawn: about one in five, chosen by a hash of the map, is held out',
});

/** Returns whether a map is held out, by a 32-bit FNV-1a hash of its text. */
export function isHeldOut(text: string): boolean {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % 5 === 0;
}

const mostDraws = 2000;

/** Draws until a map is valid and belongs to the wanted split. Throws if a task leaves no room for one. */
export function drawMap<M>(world: string, split: string, draw: () => M | null, textOf: (map: M) => string): M {
  for (let i = 0; i < mostDraws; i++) {
    const map = draw();
    if (map !== null && (split === 'any' || isHeldOut(textOf(map)) === (split === 'held-out'))) return map;
  }
  throw new Fault(
    'input',
    `${world}: no map of the split "${split}" was found in ${mostDraws} tries. Use a larger or less restricted map.`,
  );
}

/** Returns the steps from every cell to the nearest of `goals` over open cells, or −1 if it is unreachable. */
export function distancesTo(goals: readonly number[], { cells, columns, rows }: GridMap, open: (mark: string) => boolean): Int32Array {
  const distance = new Int32Array(cells.length).fill(-1);
  const queue = [...goals];
  for (const goal of goals) distance[goal] = 0;
  for (let i = 0; i < queue.length; i++) {
    const cell = queue[i];
    for (let direction = 0; direction < 4; direction++) {
      const next = neighbour(cell, direction, columns, rows);
      if (next < 0 || distance[next] !== -1 || !open(cells[next])) continue;
      distance[next] = distance[cell] + 1;
      queue.push(next);
    }
  }
  return distance;
}
