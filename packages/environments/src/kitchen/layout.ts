/** @file Kitchens as maps: floor, stations, and the start cells of the cooks. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { neighbour, readMap } from '../grid.ts';

/** The five standard kitchens: 1 and 2 are cooks, P a pot, O onions, D dishes, S the serving counter, X a counter. */
export const kitchens = {
  cramped: 'XXPXX/O  2O/X1  X/XDXSX',
  asymmetric: 'XXXXXXXXX/O XSXOX S/X   P 1 X/X2  P   X/XXXDXDXXX',
  ring: 'XXXPX/X 1 P/D2X X/O   X/XOSXX',
  forced: 'XXXPX/O X1P/O2X X/D X X/XXXSX',
  circuit: 'XXXPPXXX/X  2   X/D XXXX S/X  1   X/XXXOOXXX',
} as const;

export interface KitchenLayout {
  /** A space is floor; a letter is a station. */
  readonly cells: string;
  readonly columns: number;
  readonly rows: number;
  /** The start cells of the cooks. */
  readonly starts: readonly number[];
  readonly pots: readonly number[];
  readonly counters: readonly number[];
  readonly onions: readonly number[];
  readonly dishes: readonly number[];
  readonly serving: readonly number[];
  /** By cell: the index of its pot or counter. */
  readonly index: readonly number[];
  /** By cell and direction: the neighboring cell, or −1. */
  readonly beside: readonly number[];
  /** Connected parts of the floor: a number for each part, −1 for stations. */
  readonly part: readonly number[];
  /** Steps from each cell to one next to the station, given the other cook's position. Filled lazily. */
  readonly ways: Map<number, Int32Array>;
  /** The map as text, by positions of the cooks and items on counters. Filled lazily. */
  readonly maps: Map<string | number, string>;
}

const knownEntries = new Map<string, KitchenLayout>();

export function kitchenLayout(text: string): KitchenLayout {
  const before = knownEntries.get(text);
  if (before !== undefined) return before;
  const { cells: marks, columns, rows } = readMap('kitchen', text, ' 12PODSX');
  const starts = ['1', '2'].map((mark) => marks.indexOf(mark)).filter((cell) => cell >= 0);
  const once = ['1', '2'].every((mark) => marks.indexOf(mark) === marks.lastIndexOf(mark));
  const cells = marks.replaceAll(/[12]/g, ' ');
  const beside = [...cells].flatMap((_, cell) => [0, 1, 2, 3].map((direction) => neighbour(cell, direction, columns, rows)));
  const open = [...cells].some((mark, cell) => mark === ' ' && [0, 1, 2, 3].some((direction) => beside[cell * 4 + direction] === -1));
  if (!marks.includes('1') || !once || open || ![...'PODS'].every((mark) => marks.includes(mark)))
    throw new Fault(
      'input',
      `kitchen: a layout must have one cook 1, at most one cook 2, each of P O D S, and no floor at its edge, but got "${text}".`,
    );
  const all = (mark: string) => [...cells].flatMap((otherCell, cell) => (otherCell === mark ? [cell] : []));
  const [pots, counters] = [all('P'), all('X')];
  const layout: KitchenLayout = {
    ...{ cells, columns, rows, starts, pots, counters, onions: all('O'), dishes: all('D'), serving: all('S') },
    ...{ beside, part: partsOf(cells, beside), ways: new Map(), maps: new Map() },
    index: [...cells].map((mark, cell) => (mark === 'P' ? pots : counters).indexOf(cell)),
  };
  if (knownEntries.size > 200) knownEntries.clear();
  knownEntries.set(text, layout);
  return layout;
}

function partsOf(cells: string, beside: readonly number[]): readonly number[] {
  const part = [...cells].map(() => -1);
  let parts = 0;
  for (let from = 0; from < cells.length; from++) {
    if (cells[from] !== ' ' || part[from] !== -1) continue;
    const queue = [from];
    part[from] = parts;
    for (const cell of queue)
      for (let direction = 0; direction < 4; direction++) {
        const next = beside[cell * 4 + direction];
        if (next < 0 || cells[next] !== ' ' || part[next] !== -1) continue;
        part[next] = parts;
        queue.push(next);
      }
    parts++;
  }
  return part;
}

/**
 * Returns the steps from every floor cell to a cell next to a station, around a cook at `blocked` (−1 for none), or −1 for unreachable
 * cells.
 */
export function waysTo(layout: KitchenLayout, station: number, blocked: number): Int32Array {
  const key = station * 8192 + blocked + 1;
  const before = layout.ways.get(key);
  if (before !== undefined) return before;
  const { cells, beside } = layout;
  const steps = new Int32Array(cells.length).fill(-1);
  const queue: number[] = [];
  const reach = (cell: number, length: number) => {
    if (cell < 0 || cells[cell] !== ' ' || cell === blocked || steps[cell] !== -1) return;
    steps[cell] = length;
    queue.push(cell);
  };
  for (let direction = 0; direction < 4; direction++) reach(beside[station * 4 + direction], 0);
  for (let i = 0; i < queue.length; i++)
    for (let direction = 0; direction < 4; direction++) reach(beside[queue[i] * 4 + direction], steps[queue[i]] + 1);
  layout.ways.set(key, steps);
  return steps;
}

/** Returns whether a cook in a part of the floor can reach a cell next to a station. */
export function inReach({ beside, part }: KitchenLayout, cell: number, station: number): boolean {
  for (let direction = 0; direction < 4; direction++) {
    const next = beside[station * 4 + direction];
    if (next >= 0 && part[next] === part[cell]) return true;
  }
  return false;
}
