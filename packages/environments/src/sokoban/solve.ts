/**
 * @file Solves Sokoban: finds the fewest moves or the fewest pushes over all positions of the player and the boxes, or proves that there is
 * no solution.
 */

import { type GridMap, neighbour } from '../grid.ts';

export interface SokobanSolution {
  /** Letters l, d, r, u; upper case for a push. */
  readonly path: string;
  readonly moves: number;
  readonly pushes: number;
}

export interface SokobanSearch {
  /** Null if there is no solution, or none was found within `most` states. */
  readonly solution: SokobanSolution | null;
  readonly states: number;
  /** Whether every reachable state was examined. */
  readonly complete: boolean;
}

export interface SolveSettings {
  readonly fewest?: 'moves' | 'pushes';
  readonly most?: number;
  /** Skips states with a box from where no goal can be reached, ignoring other boxes. Defaults to true. */
  readonly prune?: boolean;
}

const letters = 'ldru';

interface Entry {
  readonly at: number;
  readonly boxes: readonly number[];
  readonly parent: number;
  readonly letter: string;
  readonly moves: number;
  readonly pushes: number;
}

/** A priority queue. Costs only grow by one or two kinds of steps, so a heap of numbers is sufficient. */
class Heap {
  readonly #items: (readonly [cost: number, index: number])[] = [];

  get size(): number {
    return this.#items.length;
  }

  push(cost: number, index: number): void {
    const items = this.#items;
    let i = items.push([cost, index]) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (items[parent][0] <= cost) break;
      items[i] = items[parent];
      i = parent;
    }
    items[i] = [cost, index];
  }

  pop(): number {
    const items = this.#items;
    const top = items[0];
    const last = items.pop() as readonly [number, number];
    if (items.length > 0) {
      let i = 0;
      for (;;) {
        let child = 2 * i + 1;
        if (child >= items.length) break;
        if (child + 1 < items.length && items[child + 1][0] < items[child][0]) child++;
        if (items[child][0] >= last[0]) break;
        items[i] = items[child];
        i = child;
      }
      items[i] = last;
    }
    return top[1];
  }
}

export function solveSokoban(map: GridMap, { fewest = 'moves', most = 2_000_000, prune = true }: SolveSettings = {}): SokobanSearch {
  const { cells, columns, rows } = map;
  const at = [...cells].findIndex((mark) => mark === '@' || mark === '+');
  const boxes = cellsWith(cells, '$*');
  const goals = new Set(cellsWith(cells, '.*+'));
  const alive = prune ? cellsPulledFrom(map, goals) : null;
  const cost = ({ moves, pushes }: Entry) => (fewest === 'moves' ? moves * 1000 + pushes : pushes * 100_000 + moves);
  const entries: Entry[] = [{ at, boxes, parent: -1, letter: '', moves: 0, pushes: 0 }];
  const best = new Map<string, number>([[keyOf(at, boxes), 0]]);
  const queue = new Heap();
  queue.push(0, 0);
  while (queue.size > 0) {
    const index = queue.pop();
    const entry = entries[index];
    if ((best.get(keyOf(entry.at, entry.boxes)) as number) < cost(entry)) continue;
    if (entry.boxes.every((box) => goals.has(box))) return { solution: pathTo(entries, index), states: best.size, complete: false };
    if (best.size > most) return { solution: null, states: best.size, complete: false };
    for (let direction = 0; direction < 4; direction++) {
      const next = neighbour(entry.at, direction, columns, rows);
      if (next < 0 || cells[next] === '#') continue;
      const hit = entry.boxes.indexOf(next);
      let after = entry.boxes;
      if (hit >= 0) {
        const to = neighbour(next, direction, columns, rows);
        if (to < 0 || cells[to] === '#' || entry.boxes.includes(to) || alive?.has(to) === false) continue;
        after = entry.boxes.with(hit, to).sort((a, b) => a - b);
      }
      const letter = letters[direction];
      const moved: Entry = {
        at: next,
        boxes: after,
        parent: index,
        letter: hit >= 0 ? letter.toUpperCase() : letter,
        moves: entry.moves + 1,
        pushes: entry.pushes + (hit >= 0 ? 1 : 0),
      };
      const key = keyOf(next, after);
      const before = best.get(key);
      if (before !== undefined && before <= cost(moved)) continue;
      best.set(key, cost(moved));
      queue.push(cost(moved), entries.push(moved) - 1);
    }
  }
  return { solution: null, states: best.size, complete: true };
}

export function cellsWith(cells: string, marks: string): readonly number[] {
  return [...cells].flatMap((mark, cell) => (marks.includes(mark) ? [cell] : []));
}

function keyOf(at: number, boxes: readonly number[]): string {
  let key = String.fromCharCode(at);
  for (const box of boxes) key += String.fromCharCode(box);
  return key;
}

/** Returns cells from which a single box on the board can still be pushed to a goal. */
function cellsPulledFrom({ cells, columns, rows }: GridMap, goals: ReadonlySet<number>): ReadonlySet<number> {
  const matches = new Set(goals);
  for (const cell of matches)
    for (let direction = 0; direction < 4; direction++) {
      const back = neighbour(cell, direction, columns, rows);
      const player = back < 0 ? -1 : neighbour(back, direction, columns, rows);
      if (player >= 0 && cells[back] !== '#' && cells[player] !== '#') matches.add(back);
    }
  return matches;
}

function pathTo(entries: readonly Entry[], index: number): SokobanSolution {
  const { moves, pushes } = entries[index];
  let path = '';
  for (let i = index; i > 0; i = entries[i].parent) path = entries[i].letter + path;
  return { path, moves, pushes };
}
