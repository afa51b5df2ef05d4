/** @file Sweepers: one that plays small fields as well as they can be played, and one that always opens the cell that is least likely a mine. */

import { Fault, type Script, type View } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { ExactField, exactUpTo, neighbourBits, popcount } from './exact.ts';
import { mineRisks } from './risk.ts';

interface Sight {
  readonly columns: number;
  readonly rows: number;
  readonly mines: number;
  readonly shown: string;
}

const fields = new Map<string, ExactField | null>();

function fieldOf({ columns, rows, mines }: Sight): ExactField | null {
  const key = `${columns} ${rows} ${mines}`;
  let field = fields.get(key);
  if (field === undefined) {
    let sets = 1;
    for (let i = 1; i <= mines; i++) sets = (sets * (columns * rows - mines + i)) / i;
    field = sets <= exactUpTo && columns * rows <= 30 ? new ExactField({ columns, rows, mines }) : null;
    fields.set(key, field);
  }
  return field;
}

/** Opens a cell that keeps the best chance of winning, which is known exactly. */
const exact: Script = ({ view }) => {
  const visible = sightOf(view);
  const field = fieldOf(visible);
  if (field === null)
    throw new Fault(
      'input',
      `The exact script plays fields of up to ${exactUpTo} mine sets, but this one has more. Use the script careful.`,
    );
  const near = neighbourBits(visible);
  let opened = 0;
  for (let cell = 0; cell < visible.shown.length; cell++) if (isOpen(visible.shown[cell])) opened |= 1 << cell;
  const sets = field.sets.filter(
    (set) =>
      (set & opened) === 0 &&
      near.every((bits, cell) => ((opened >> cell) & 1) === 0 || popcount(bits & set) === Number(visible.shown[cell])),
  );
  return reveal(visible, field.solve(opened, sets)[1]);
};

/** Opens the cell that is least likely a mine, the first of equals. It weighs no cell by what its number would tell. */
const careful: Script = ({ view }) => {
  const visible = sightOf(view);
  const risks = mineRisks(visible.shown, visible.columns, visible.mines);
  let best = -1;
  for (let cell = 0; cell < risks.length; cell++)
    if (visible.shown[cell] === '#' && (best < 0 || risks[cell] < risks[best] - 1e-12)) best = cell;
  return reveal(visible, best);
};

const isOpen = (mark: string | undefined) => mark !== undefined && mark >= '0' && mark <= '8';

function reveal({ columns }: Sight, cell: number): { readonly text: string } {
  return { text: `[reveal ${Math.floor(cell / columns)} ${cell % columns}]` };
}

function sightOf(view: View): Sight {
  const rulesPattern = linear(/a field of (\d+) columns and (\d+) rows that is no mine; there are (\d+) mines/);
  const rules = view.seen.find((item) => item.kind === 'message' && rulesPattern.test(item.text));
  const last = view.seen.findLast((item) => item.kind === 'message' && item.text.includes('\nMines not flagged'));
  if (rules?.kind !== 'message' || last?.kind !== 'message')
    throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  const [, columns, rows, mines] = (rulesPattern.exec(rules.text) ?? []).map(Number) as [number, number, number, number];
  const lines = last.text.split('\n');
  const end = lines.findIndex((line) => line.startsWith('Mines not flagged'));
  return { columns, rows, mines, shown: lines.slice(end - rows, end).join('') };
}

export const scripts: Readonly<Record<string, Script>> = { careful, exact };
