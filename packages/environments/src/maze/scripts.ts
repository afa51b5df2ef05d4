/** @file Walkers of mazes: the shortest way where the map is shown, and an explorer that draws its own map from the walls it is told of. */

import { Fault, type Script, type View } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { distancesTo, gridDirections, gridMoves, neighbour } from '../grid.ts';

/** The first step of a shortest way on the map that was told last. */
const shortest: Script = (turn) => {
  const last = turn.view.seen.findLast((item) => item.kind === 'message' && item.text.includes('left.'));
  const rows = last?.kind === 'message' ? last.text.split('\n').filter((line) => /^[# G@]+$/.test(line) && line.includes('#')) : [];
  if (rows.length === 0) return explorer(turn);
  const map = { cells: rows.join(''), columns: rows[0]?.length as number, rows: rows.length };
  const distance = distancesTo([map.cells.indexOf('G')], map, (mark) => mark !== '#');
  const at = map.cells.indexOf('@');
  const way = [0, 1, 2, 3].find((direction) => {
    const next = neighbour(at, direction, map.columns, map.rows);
    return next >= 0 && distance[next] === distance[at] - 1;
  });
  return { text: gridMoves[way ?? 0] };
};

const moves = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

/** Goes to the nearest cell that it has not stood on, over those that it has: every cell is reached at last. */
function explorer({ view }: { readonly view: View }): { readonly text: string } {
  const ways = chart(view);
  const first = new Map<string, number>([[ways.at, -1]]);
  for (const [place, step] of first) {
    const open = ways.open.get(place);
    if (open === undefined) return { text: gridMoves[step] };
    for (const direction of open) {
      const next = beside(place, direction);
      if (!first.has(next)) first.set(next, step < 0 ? direction : step);
    }
  }
  return { text: gridMoves[0] };
}

/** Places relative to the start, and where one can go from those that were stood on. */
function chart(view: View): { readonly at: string; readonly open: ReadonlyMap<string, readonly number[]> } {
  const open = new Map<string, readonly number[]>();
  let at = '0 0';
  for (const item of view.seen) {
    if (item.kind !== 'message') continue;
    const run = /^You go ([a-z, ]+)\./.exec(item.text)?.[1]?.split(', ') ?? [];
    let before = -1;
    for (const way of run.map((word) => gridDirections.indexOf(word as 'left'))) {
      // Within a run there is one way back and one way on.
      if (before >= 0) open.set(at, [(before + 2) % 4, way]);
      at = beside(at, way);
      before = way;
    }
    const match = linear(/There (?:are no walls beside you|(?:is a wall|are walls): ([a-z, ]+))\./).exec(item.text);
    if (match === null) continue;
    const walls = match[1]?.split(', ') ?? [];
    open.set(
      at,
      [0, 1, 2, 3].filter((direction) => !walls.includes(gridDirections[direction])),
    );
  }
  if (!view.seen.some((item) => item.kind === 'message' && item.text.includes('Find the way through the maze')))
    throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  return { at, open };
}

function beside(place: string, direction: number): string {
  const [row, column] = place.split(' ').map(Number) as [number, number];
  const [down, right] = moves[direction];
  return `${row + down} ${column + right}`;
}

export const scripts: Readonly<Record<string, Script>> = { shortest };
