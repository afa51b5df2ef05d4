/** @file Boards of cells: ice, mazes, mines, boxes, chess, walkers, letters. A seat with a partial view gets a picture of that part. */

import { kitchenLayout, kitchens } from '@ludus-agents/environments/internal/kitchen/layout';
import type { Unit } from '@ludus-agents/environments/internal/skirmish/rules';
import { boardOf } from '@ludus-agents/environments/internal/skirmish/skirmish';
import type { GridPicture, PlayPicture } from '../api.ts';
import type { Eyes } from './index.ts';
import { cellPlays, chessPlays, stepPlays, unitPlays } from './plays.ts';

interface Cells {
  readonly cells: string;
  readonly columns: number;
  readonly at: number;
}

/** Dots are drawn as free cells. */
function pictureOf(cells: string, columns: number, plays: readonly PlayPicture[] = []): GridPicture {
  return { kind: 'grid', columns, rows: cells.length / columns, cells, gravity: false, won: [], plays };
}

const withMark = (cells: string, at: number, mark: string) => cells.slice(0, at) + mark + cells.slice(at + 1);

/** The same, with unreachable cells drawn as walls instead of letters. */
const withWalls = (picture: GridPicture, wall: string): GridPicture => ({
  ...picture,
  looks: [...picture.cells].map((mark) => (mark === wall ? 'w' : '.')).join(''),
});

/** A board on which clicks on adjacent cells move the walker. */
function stepBoard(cells: string, columns: number, at: number, { choices }: Pick<Eyes, 'choices'>): GridPicture {
  return withWalls(pictureOf(cells, columns, stepPlays(choices, { at, columns, rows: cells.length / columns })), '#');
}

export function drawLake({ cells, columns, at }: Cells, eyes: Eyes): GridPicture {
  return stepBoard(withMark(cells.replaceAll('F', '.'), at, '@'), columns, at, eyes);
}

/** With a view by place, cells away from the walker and the goal are drawn as ?; with a view by walls, only adjacent cells exist. */
export function drawMaze({ cells, columns, at, task }: Cells & { readonly task: { readonly sight: string } }, eyes: Eyes): GridPicture {
  const marked = withMark(cells.replaceAll(' ', '.'), at, '@');
  if (eyes.seat === null || task.sight === 'map') return stepBoard(marked, columns, at, eyes);
  const beside = [at - columns, at - 1, at + 1, at + columns];
  if (task.sight === 'walls') {
    const [up, left, right, down] = beside.map((cell) => (marked[cell] === '#' ? '#' : '.'));
    return stepBoard(`?${up}?${left}@${right}?${down}?`, 3, 4, eyes);
  }
  const isSeen = (mark: string, cell: number) => cell === at || mark === 'G' || beside.includes(cell);
  return stepBoard([...marked].map((mark, cell) => (isSeen(mark, cell) ? mark : '?')).join(''), columns, at, eyes);
}

/** All viewers see what the player sees. */
export function drawMines(
  { shown, task: { columns } }: { readonly shown: string; readonly task: { readonly columns: number } },
  { choices }: Eyes,
): GridPicture {
  return pictureOf(shown.replaceAll('0', '.'), columns, cellPlays(choices, columns));
}

/** Goals are drawn as o, free cells as blanks. */
export function drawSokoban({ cells, columns }: Pick<Cells, 'cells' | 'columns'>, eyes: Eyes): GridPicture {
  return stepBoard(cells.replaceAll('.', 'o').replaceAll(' ', '.'), columns, Math.max(cells.indexOf('@'), cells.indexOf('+')), eyes);
}

export function drawChess({ fen }: { readonly fen: string }, { choices }: Eyes): GridPicture {
  const rows = fen.split(' ', 1)[0]!.replaceAll('/', '');
  const cells = rows.replaceAll(/\d/g, (empty) => '.'.repeat(Number(empty)));
  const looks = [...cells].map((_, cell) => (((cell >> 3) + cell) % 2 === 0 ? 'l' : 'd')).join('');
  return { ...pictureOf(cells, 8, chessPlays(choices, fen)), looks };
}

interface Walkers {
  readonly cells: string;
  readonly columns: number;
  readonly at: readonly number[];
  readonly goals: readonly number[];
  readonly task: { readonly sight: string; readonly radius: number };
}

/** Agents are drawn as the last digit of their number in base 36, one character each; a seat's own goal as G. */
export function drawWalkers({ cells, columns, at, goals, task }: Walkers, eyes: Eyes): GridPicture {
  const index = eyes.seat === null ? -1 : eyes.seats.indexOf(eyes.seat);
  const isNear = (cell: number) => {
    const [from, radius] = [at[index]!, task.radius];
    const across = Math.abs((cell % columns) - (from % columns));
    return across <= radius && Math.abs(Math.floor(cell / columns) - Math.floor(from / columns)) <= radius;
  };
  const board = index < 0 ? cells : withMark(cells, goals[index]!, 'G');
  const isVisible = (cell: number) => index < 0 || task.sight === 'all' || isNear(cell);
  const sample = at.reduce((now, cell, i) => (isVisible(cell) ? withMark(now, cell, (i + 1).toString(36)) : now), board);
  return index < 0 ? withWalls(pictureOf(sample, columns), '#') : stepBoard(sample, columns, at[index]!, eyes);
}

interface Kitchen {
  readonly task: { readonly layout: string; readonly kitchen: keyof typeof kitchens };
  readonly at: readonly number[];
  readonly facing: readonly number[];
  readonly hands: readonly number[];
  readonly items: readonly number[];
}

/** Cooks by number, stations by letter, items on counters as lowercase letters. Orders are given by their destination. */
export function drawKitchen({ task, at, facing, hands, items }: Kitchen, { seat, seats, choices }: Eyes): GridPicture {
  const layout = kitchenLayout(task.layout === '' ? kitchens[task.kitchen] : task.layout);
  const { cells, columns, rows, counters, beside } = layout;
  const laid = items.reduce((now, item, i) => withMark(now, counters[i]!, 'Xodst'[item]!), cells.replaceAll(' ', '.'));
  const sample = at.reduce((now, cell, i) => withMark(now, cell, String(i + 1)), laid);
  if (seat === null || choices.length === 0) return withWalls(pictureOf(sample, columns), 'X');
  const index = seats.indexOf(seat);
  const faced = beside[at[index]! * 4 + facing[index]!]!;
  const [isEmpty, hasOnion] = [hands[index] === 0, hands[index] === 1];
  const orders = {
    ...{ O: ['[fetch onion]'], D: ['[fetch dish]'], S: ['[serve]'], X: ['[drop]'], s: ['[fetch soup]'] },
    P: isEmpty ? ['[cook]'] : hasOnion ? ['[fill]'] : ['[plate]'],
  } as Readonly<Record<string, readonly string[]>>;
  const messages = [...laid].flatMap((mark, cell) =>
    (orders[mark] ?? []).flatMap((move) => (choices.includes(move) ? [{ move, cells: [cell] }] : [])),
  );
  const usable = cells[faced] === ' ' ? {} : { facing: faced };
  return withWalls(pictureOf(sample, columns, [...stepPlays(choices, { at: at[index]!, columns, rows, ...usable }), ...messages]), 'X');
}

interface Skirmish {
  readonly task: { readonly size: number };
  readonly units: readonly Unit[];
  readonly marks: readonly number[];
}

export function drawSkirmish({ task: { size }, units, marks }: Skirmish, { seat, seats, choices }: Eyes): GridPicture {
  return pictureOf(boardOf(units, marks, size), size, unitPlays(choices, units, seat === null ? 0 : seats.indexOf(seat), size));
}

interface Letters {
  readonly past: readonly (readonly [string, string])[];
  readonly task: { readonly tries: number };
  readonly secret: string;
}

/** Guesses row by row, each letter with its result; remaining tries are empty. */
export function drawWords({ past, task: { tries }, secret }: Letters): GridPicture {
  const columns = secret.length;
  const free = columns * Math.max(0, tries - past.length);
  const cells = past.map(([word]) => word.toUpperCase()).join('') + '.'.repeat(free);
  return { ...pictureOf(cells, columns), looks: past.map(([, fits]) => fits).join('') + '.'.repeat(free) };
}
