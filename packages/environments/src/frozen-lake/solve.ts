/**
 * @file Exact values of a lake: the highest probability of reaching the goal within a number of steps, without a limit, and under a given
 * policy.
 */

import { type GridMap, neighbour } from '../grid.ts';

/** A lake as seen by a solver. `steady` is the probability that a step goes in the intended direction. */
export interface Lake extends GridMap {
  readonly steady: number;
}

/** Returns where a step may lead: the intended cell, and the two beside it. A step over the edge stays in place. */
export function slides({ columns, rows }: GridMap, cell: number, direction: number): readonly [number, number, number] {
  const to = (turn: number) => {
    const next = neighbour(cell, (direction + turn) % 4, columns, rows);
    return next < 0 ? cell : next;
  };
  return [to(0), to(3), to(1)];
}

/** Returns the value of a direction at a cell, given the values of all cells after the step. */
export function worthOf(lake: Lake, after: ArrayLike<number>, cell: number, direction: number): number {
  const [meant, left, right] = slides(lake, cell, direction);
  const side = (1 - lake.steady) / 2;
  return lake.steady * after[meant] + side * (after[left] + after[right]);
}

const ends = (mark: string | undefined) => mark === 'H' || mark === 'G';

function sweep(lake: Lake, after: ArrayLike<number>, choose: (worths: readonly number[]) => number, discount = 1): Float64Array {
  const { cells } = lake;
  const now = new Float64Array(cells.length);
  for (let cell = 0; cell < cells.length; cell++) {
    if (ends(cells[cell])) now[cell] = cells[cell] === 'G' ? 1 : 0;
    else now[cell] = discount * choose([0, 1, 2, 3].map((direction) => worthOf(lake, after, cell, direction)));
  }
  return now;
}

const best = (worths: readonly number[]) => Math.max(...worths);
const evenly = (worths: readonly number[]) => worths.reduce((sum, worth) => sum + worth, 0) / worths.length;

/**
 * Returns the probability of reaching the goal from each cell with 0, 1, 2 … `steps` steps left, under the best play that knows the number,
 * or under blind play.
 */
export function withinSteps(lake: Lake, steps: number, play: 'best' | 'blind' = 'best'): readonly Float64Array[] {
  let table: Float64Array = Float64Array.from(lake.cells, (mark) => (mark === 'G' ? 1 : 0));
  const tables = [table];
  for (let left = 1; left <= steps; left++) {
    table = sweep(lake, table, play === 'best' ? best : evenly);
    tables.push(table);
  }
  return tables;
}

/** Returns the value of each cell without a step limit, by value iteration until no value changes by more than `within`. */
export function solveUnlimited(lake: Lake, discount = 1, within = 1e-15): Float64Array {
  let table: Float64Array = Float64Array.from(lake.cells, (mark) => (mark === 'G' ? 1 : 0));
  for (let round = 0; round < 1_000_000; round++) {
    // The goal pays on arrival, so only the step after it is discounted.
    const next = sweep(lake, table, best, discount);
    for (let cell = 0; cell < next.length; cell++) if (lake.cells[cell] === 'G') next[cell] = 1 / discount;
    let moved = 0;
    for (let cell = 0; cell < next.length; cell++) moved = Math.max(moved, Math.abs(next[cell] - table[cell]));
    table = next;
    if (moved < within) break;
  }
  return table;
}

/** Returns the equally good best directions at a cell, given the values after the step. */
export function bestDirections(lake: Lake, after: ArrayLike<number>, cell: number): readonly number[] {
  const worths = [0, 1, 2, 3].map((direction) => worthOf(lake, after, cell, direction));
  const most = Math.max(...worths);
  return [0, 1, 2, 3].filter((direction) => worths[direction] > most - 1e-12);
}
