/** @file Boards of cells: ice, mazes, mines, boxes, chess and walkers. A seat that may not see the board gets no picture. */

import { kitchenLayout, kitchens } from '../../../environments/kitchen/layout.ts';
import type { Unit } from '../../../environments/skirmish/rules.ts';
import { boardOf } from '../../../environments/skirmish/skirmish.ts';
import type { GridPicture } from '../api.ts';
import type { Eyes } from './index.ts';

interface Cells {
  readonly cells: string;
  readonly columns: number;
  readonly at: number;
}

/** Dots are drawn as free cells. */
function pictureOf(cells: string, columns: number): GridPicture {
  return { kind: 'grid', columns, rows: cells.length / columns, cells, gravity: false, won: [] };
}

const withMark = (cells: string, at: number, mark: string) => cells.slice(0, at) + mark + cells.slice(at + 1);

export function drawLake({ cells, columns, at }: Cells): GridPicture {
  return pictureOf(withMark(cells.replaceAll('F', '.'), at, '@'), columns);
}

export function drawMaze(
  { cells, columns, at, task }: Cells & { readonly task: { readonly sight: string } },
  { seat }: Eyes,
): GridPicture | null {
  if (seat !== null && task.sight !== 'map') return null;
  return pictureOf(withMark(cells.replaceAll(' ', '.'), at, '@'), columns);
}

/** What is shown to the player is all that anybody is shown. */
export function drawMines({ shown, task }: { readonly shown: string; readonly task: { readonly columns: number } }): GridPicture {
  return pictureOf(shown.replaceAll('0', '.'), task.columns);
}

/** Goals are drawn as o, free cells as nothing. */
export function drawSokoban({ cells, columns }: Pick<Cells, 'cells' | 'columns'>): GridPicture {
  return pictureOf(cells.replaceAll('.', 'o').replaceAll(' ', '.'), columns);
}

export function drawChess({ fen }: { readonly fen: string }): GridPicture {
  const rows = fen.split(' ', 1)[0]!.replaceAll('/', '');
  return pictureOf(
    rows.replaceAll(/\d/g, (empty) => '.'.repeat(Number(empty))),
    8,
  );
}

interface Walkers {
  readonly cells: string;
  readonly columns: number;
  readonly at: readonly number[];
  readonly task: { readonly sight: string };
}

/** Agents are drawn by the last letter of their number in base 36, so that each is one character. */
export function drawWalkers({ cells, columns, at, task }: Walkers, { seat }: Eyes): GridPicture | null {
  if (seat !== null && task.sight !== 'all') return null;
  const drawn = at.reduce((now, cell, i) => withMark(now, cell, (i + 1).toString(36)), cells);
  return pictureOf(drawn, columns);
}

interface Kitchen {
  readonly task: { readonly layout: string; readonly kitchen: keyof typeof kitchens };
  readonly at: readonly number[];
  readonly items: readonly number[];
}

/** Cooks by number, stations by letter, what lies on counters as a small letter. */
export function drawKitchen({ task, at, items }: Kitchen): GridPicture {
  const { cells, columns, counters } = kitchenLayout(task.layout === '' ? kitchens[task.kitchen] : task.layout);
  const laid = items.reduce((now, item, i) => withMark(now, counters[i]!, 'Xodst'[item]!), cells.replaceAll(' ', '.'));
  const drawn = at.reduce((now, cell, i) => withMark(now, cell, String(i + 1)), laid);
  return pictureOf(drawn, columns);
}

interface Skirmish {
  readonly task: { readonly size: number };
  readonly units: readonly Unit[];
  readonly marks: readonly number[];
}

export function drawSkirmish({ task, units, marks }: Skirmish): GridPicture {
  return pictureOf(boardOf(units, marks, task.size), task.size);
}
