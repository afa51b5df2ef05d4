/** @file Sokoban levels: some built-in ones, and levels generated backward by pulling boxes off their goals, so that each can be solved. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { distancesTo, type GridMap, neighbour } from '../grid.ts';

/** Levels in XSB: # wall, @ player, $ box, . goal, * box on a goal, + player on a goal. */
export const levels = {
  push: '#####/#@$.#/#####',
  turn: '######/#    #/# @$ #/#  . #/######',
  pair: '#####/#@  #/#$$ #/#.. #/#   #/#####',
  three: '#######/#     #/# $.$ #/#  @  #/# . ###/#######',
  long: '#######/#  $. #/#   @ #/##$##.#/#     #/#   ###/#######',
} as const;

export interface LevelShape {
  readonly size: number;
  readonly boxes: number;
  readonly walls: number;
  /** Steps back from the solved board. The level can be solved in at most this many steps. */
  readonly back: number;
}

export interface DrawnLevel extends GridMap {
  /** The reversed walk as letters l, d, r, u: a solution of the level. */
  readonly way: string;
}

const opposite = ['r', 'u', 'l', 'd'] as const;

/** Generates a level, or returns null if this draw has a box that never left its goal. */
export function drawLevel({ size, boxes, walls, back }: LevelShape, rng: Rng): DrawnLevel | null {
  const cells: string[] = Array.from({ length: size * size }, (_, cell) => {
    const [x, y] = [cell % size, Math.floor(cell / size)];
    const edge = x === 0 || y === 0 || x === size - 1 || y === size - 1;
    return edge || rng.next() < walls ? '#' : ' ';
  });
  const free = cells.flatMap((mark, cell) => (mark === ' ' ? [cell] : []));
  if (free.length < 2 * boxes + 3) return null;
  const map: GridMap = { cells: cells.join(''), columns: size, rows: size };
  const ways = distancesTo([free[0]], map, (mark) => mark !== '#');
  if (free.some((cell) => ways[cell] === -1)) return null;
  const [first, ...places] = rng.shuffle(free);
  const goals = places.slice(0, boxes);
  let at = first as number;
  const now = [...goals];
  let way = '';
  for (let step = 0; step < back; step++) {
    const open = [0, 1, 2, 3].filter((direction) => {
      const to = neighbour(at, direction, size, size);
      return to >= 0 && cells[to] !== '#' && !now.includes(to);
    });
    if (open.length === 0) break;
    // Directions with a box behind are preferred, because boxes would rarely leave their goals otherwise.
    const pulls = open.filter((direction) => now.includes(neighbour(at, (direction + 2) % 4, size, size)));
    const direction = pulls.length > 0 && rng.int(3) > 0 ? rng.pick(pulls) : rng.pick(open);
    const box = now.indexOf(neighbour(at, (direction + 2) % 4, size, size));
    if (box >= 0) now[box] = at;
    at = neighbour(at, direction, size, size);
    way = opposite[direction] + way;
  }
  if (now.some((box) => goals.includes(box))) return null;
  for (const goal of goals) cells[goal] = '.';
  for (const box of now) cells[box] = '$';
  cells[at] = cells[at] === '.' ? '+' : '@';
  return { cells: cells.join(''), columns: size, rows: size, way };
}
