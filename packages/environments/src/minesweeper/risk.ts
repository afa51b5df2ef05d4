/**
 * @file Computes the probability of a mine for each hidden cell, for boards of any size.
 *
 * Hidden cells next to numbers form groups that share no number. Each group's mine patterns are counted by the number of mines they use.
 * Groups and the cells that are not next to a number are then combined according to the total number of mines.
 */

import { around } from './exact.ts';

/** Pattern counts of a group by mines used: the number of patterns, and for each cell the number of patterns in which it is a mine. */
interface Counted {
  readonly cells: readonly number[];
  readonly total: number[];
  readonly byCell: number[][];
}

const mostVisits = 400_000;

/**
 * Returns the probability of a mine for each hidden cell, and NaN for open ones. `shown` has digits for open cells; anything else is
 * hidden.
 */
export function mineRisks(display: string, columns: number, mines: number): Float64Array {
  const rows = display.length / columns;
  const isOpen = (cell: number) => display[cell] >= '0' && display[cell] <= '8';
  const near = (cell: number) => around(cell, columns, rows);
  const groups = groupsOf(display.length, isOpen, near).map((cells) => count(cells, display, isOpen, near));
  const hidden = [...display].flatMap((_, cell) => (isOpen(cell) ? [] : [cell]));
  const inGroups = new Set(groups.flatMap(({ cells }) => cells));
  const rest = hidden.filter((cell) => !inGroups.has(cell));
  const risks = new Float64Array(display.length).fill(Number.NaN);
  // `others[g]`: the number of ways of all groups except the g-th, by mines used. They are finally weighted by the ways of the remaining
  // cells.
  const weigh = (ways: readonly number[], used: number) => {
    let sum = 0;
    for (const [k, way] of ways.entries()) sum += way * choose(rest.length, mines - k - used);
    return sum;
  };
  const all = groups.reduce((ways, { total }) => convolve(ways, total), [1]);
  const whole = weigh(all, 0);
  for (const [g, group] of groups.entries()) {
    const others = groups.reduce((ways, { total }, i) => (i === g ? ways : convolve(ways, total)), [1]);
    for (const [i, cell] of group.cells.entries()) {
      let hit = 0;
      for (const [k, ways] of group.byCell[i].entries()) if (ways > 0) hit += ways * weigh(others, k);
      risks[cell] = hit / whole;
    }
  }
  if (rest.length > 0) {
    let expected = 0;
    for (const [k, ways] of all.entries()) expected += ways * choose(rest.length, mines - k) * (mines - k);
    for (const cell of rest) risks[cell] = expected / whole / rest.length;
  }
  return risks;
}

/** Returns the hidden cells next to numbers, in groups connected by common numbers. */
function groupsOf(
  size: number,
  isOpen: (cell: number) => boolean,
  near: (cell: number) => readonly number[],
): readonly (readonly number[])[] {
  const used = new Set<number>();
  const groups: number[][] = [];
  for (let first = 0; first < size; first++) {
    if (isOpen(first) || used.has(first) || !near(first).some(isOpen)) continue;
    const group = [first];
    used.add(first);
    for (const cell of group)
      for (const open of near(cell).filter(isOpen))
        for (const other of near(open))
          if (!isOpen(other) && !used.has(other)) {
            used.add(other);
            group.push(other);
          }
    groups.push(group);
  }
  return groups;
}

function count(
  cells: readonly number[],
  display: string,
  isOpen: (cell: number) => boolean,
  near: (cell: number) => readonly number[],
): Counted {
  const places = new Map(cells.map((cell, i) => [cell, i]));
  const numbers = [...new Set(cells.flatMap((cell) => near(cell).filter(isOpen)))];
  const needs = numbers.map((cell) => Number(display[cell]));
  const open = numbers.map((cell) => near(cell).filter((other) => places.has(other)).length);
  const touching = cells.map((cell) => near(cell).flatMap((other) => (isOpen(other) ? [numbers.indexOf(other)] : [])));
  const total: number[] = new Array(cells.length + 1).fill(0);
  const byCell = cells.map(() => new Array<number>(cells.length + 1).fill(0));
  const mined: number[] = [];
  let visits = 0;
  const fits = (number: number) => needs[number] >= 0 && needs[number] <= open[number];
  const visit = (i: number): void => {
    if (++visits > mostVisits) return;
    if (i === cells.length) {
      total[mined.length] = total[mined.length] + 1;
      for (const cell of mined) byCell[cell][mined.length] = byCell[cell][mined.length] + 1;
      return;
    }
    const beside = touching[i];
    for (const number of beside) open[number] = open[number] - 1;
    if (beside.every(fits)) visit(i + 1);
    for (const number of beside) needs[number] = needs[number] - 1;
    mined.push(i);
    if (beside.every(fits)) visit(i + 1);
    mined.pop();
    for (const number of beside) {
      needs[number] = needs[number] + 1;
      open[number] = open[number] + 1;
    }
  };
  visit(0);
  // Beyond the visit limit, the patterns found so far are used as a sample. Such large groups are rare, and the estimate stays reasonable.
  return { cells, total, byCell };
}

function convolve(a: readonly number[], b: readonly number[]): number[] {
  const out: number[] = new Array(a.length + b.length - 1).fill(0);
  for (const [i, x] of a.entries()) if (x !== 0) for (const [j, y] of b.entries()) out[i + j] = out[i + j] + x * y;
  return out;
}

function choose(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return ways;
}
