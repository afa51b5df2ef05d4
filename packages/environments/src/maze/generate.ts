/** @file Mazes: the two usual ones, and perfect mazes from the seed with some walls taken out again. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import type { GridMap } from '../grid.ts';

/** Rows of walls, S for the usual start and G for the goal. */
export const mazes = {
  'u-maze': '#####/#   #/# # #/#S#G#/#####',
  'double-t': [
    '#############',
    '#S    #     #',
    '### ##### ###',
    '### ##### ###',
    '### ##### ###',
    '###       ###',
    '###### ######',
    '###### ######',
    '######G######',
    '#############',
  ].join('/'),
} as const;

/** Rooms at odd places are joined to a tree by a walk that turns back at dead ends; then `loops` more walls are opened. */
export function drawMaze(size: number, loops: number, rng: Rng): GridMap {
  const columns = 2 * size + 1;
  const open = new Uint8Array(columns * columns);
  const roomAt = (room: number) => (2 * Math.floor(room / size) + 1) * columns + 2 * (room % size) + 1;
  const beside = (room: number): number[] => {
    const column = room % size;
    const next: number[] = [];
    if (column > 0) next.push(room - 1);
    if (column < size - 1) next.push(room + 1);
    if (room >= size) next.push(room - size);
    if (room < size * (size - 1)) next.push(room + size);
    return next;
  };
  const path = [rng.int(size * size)];
  open[roomAt(path[0])] = 1;
  while (path.length > 0) {
    const room = path.at(-1) as number;
    const fresh = beside(room).filter((next) => open[roomAt(next)] === 0);
    if (fresh.length === 0) {
      path.pop();
      continue;
    }
    const next = rng.pick(fresh);
    open[(roomAt(room) + roomAt(next)) / 2] = 1;
    open[roomAt(next)] = 1;
    path.push(next);
  }
  const walls: number[] = [];
  for (let room = 0; room < size * size; room++)
    for (const next of beside(room)) {
      const wall = (roomAt(room) + roomAt(next)) / 2;
      if (next > room && open[wall] === 0) walls.push(wall);
    }
  for (const wall of rng.shuffle(walls).slice(0, loops)) open[wall] = 1;
  const marks: string[] = Array.from(open, (value) => (value === 1 ? ' ' : '#'));
  const [start, goal] = rng.shuffle(Array.from({ length: size * size }, (_, room) => roomAt(room))) as [number, number];
  marks[start] = 'S';
  marks[goal] = 'G';
  return { cells: marks.join(''), columns, rows: columns };
}
