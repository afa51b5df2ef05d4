/**
 * @file Exact optimal play on a small minefield: a recursion over the open cells and the mine sets that are consistent with them.
 *
 * Values count the mine sets that are won, so all sums are integers. A cell that is safe in every set is opened immediately: it costs
 * nothing and gives information. Cells that open automatically around a zero are such cells, so flooding changes no value.
 */

export interface MineField {
  readonly columns: number;
  readonly rows: number;
  readonly mines: number;
}

/** Returns the bits of each cell's neighbors. */
export function neighbourBits({ columns, rows }: Pick<MineField, 'columns' | 'rows'>): readonly number[] {
  return Array.from({ length: columns * rows }, (_, cell) => {
    let bits = 0;
    for (const other of around(cell, columns, rows)) bits |= 1 << other;
    return bits;
  });
}

export function around(cell: number, columns: number, rows: number): readonly number[] {
  const [x, y] = [cell % columns, Math.floor(cell / columns)];
  const matches: number[] = [];
  for (let dy = -1; dy <= 1; dy++)
    for (let dx = -1; dx <= 1; dx++)
      if ((dx !== 0 || dy !== 0) && x + dx >= 0 && x + dx < columns && y + dy >= 0 && y + dy < rows) matches.push(cell + dy * columns + dx);
  return matches;
}

export function popcount(bits: number): number {
  let left = bits;
  let count = 0;
  for (; left !== 0; count++) left &= left - 1;
  return count;
}

/** Returns all sets of `mines` mines among `cells` cells, as bits. */
export function mineSets(cells: number, mines: number): readonly number[] {
  const sets: number[] = [];
  const extend = (bits: number, from: number, left: number): void => {
    if (left === 0) sets.push(bits);
    else for (let cell = from; cell <= cells - left; cell++) extend(bits | (1 << cell), cell + 1, left - 1);
  };
  extend(0, 0, mines);
  return sets;
}

/** Maximum number of mine sets for an exact search. It takes a second or two. */
export const exactUpTo = 2000;

export class ExactField {
  readonly #cells: number;
  readonly #near: readonly number[];
  readonly #memory = new Map<string, readonly [worth: number, cell: number]>();
  readonly sets: readonly number[];
  readonly #mines: number;

  constructor(field: MineField) {
    this.#cells = field.columns * field.rows;
    this.#near = neighbourBits(field);
    this.#mines = field.mines;
    this.sets = mineSets(this.#cells, field.mines);
  }

  /** Returns the number of mine sets that optimal play wins when the first click may hit a mine, and the cell to open first. */
  solve(opened = 0, sets: readonly number[] = this.sets): readonly [worth: number, cell: number] {
    let union = 0;
    for (const set of sets) union |= set;
    const hidden = ~opened & ((1 << this.#cells) - 1);
    if (popcount(hidden) === this.#mines) return [sets.length, -1];
    const safe = hidden & ~union;
    if (safe !== 0) {
      const cell = 31 - Math.clz32(safe & -safe);
      return [this.#open(opened, sets, cell), cell];
    }
    const key = `${opened} ${sets.length} ${sets[0]} ${sets.at(-1)} ${checksum(sets)}`;
    const before = this.#memory.get(key);
    if (before !== undefined) return before;
    const cells: (readonly [cell: number, most: number])[] = [];
    for (let cell = 0; cell < this.#cells; cell++) {
      if (((hidden >> cell) & 1) === 0) continue;
      let most = 0;
      for (const set of sets) if (((set >> cell) & 1) === 0) most++;
      cells.push([cell, most]);
    }
    // Safest first: once a cell is safe in fewer sets than the best one wins, the remaining cells cannot be better.
    cells.sort((a, b) => b[1] - a[1]);
    let best: readonly [number, number] = [-1, -1];
    for (const [cell, most] of cells) {
      if (most <= best[0]) break;
      const worth = this.#open(opened, sets, cell);
      if (worth > best[0]) best = [worth, cell];
    }
    this.#memory.set(key, best);
    return best;
  }

  /** Returns the value after opening a cell, whose number splits the sets. */
  #open(opened: number, sets: readonly number[], cell: number): number {
    const byNumber: number[][] = [];
    const near = this.#near[cell];
    for (const set of sets) {
      if (((set >> cell) & 1) === 1) continue;
      const number = popcount(set & near);
      const group = byNumber[number];
      if (group === undefined) byNumber[number] = [set];
      else group.push(set);
    }
    let worth = 0;
    for (const group of byNumber) if (group !== undefined) worth += this.solve(opened | (1 << cell), group)[0];
    return worth;
  }
}

/** Two hashes of a list of sets. Together with its length, first, and last item they identify the list. */
function checksum(sets: readonly number[]): string {
  let [a, b] = [0x811c9dc5, 0];
  for (const set of sets) {
    a = Math.imul(a ^ set, 0x01000193);
    b = (Math.imul(b, 31) + set) | 0;
  }
  return `${a} ${b}`;
}
