/** @file The solver of sokoban as a player: the fewest moves from the board that it sees. */

import { Fault, type Script } from '@ludus-agents/kernel/internal/core/index';
import { gridMoves } from '../grid.ts';
import { movePlayer } from './sokoban.ts';
import { solveSokoban } from './solve.ts';

/** The next move by board, for every board on a way that was found; a level that cannot be solved any more has none. */
const plans = new Map<string, number | null>();
const mostStates = 300_000;

const solver: Script = ({ view, rng }) => {
  const last = view.seen.findLast((item) => item.kind === 'message' && /moves? (?:is|are) left\./.test(item.text));
  const rows = last?.kind === 'message' ? last.text.split('\n').filter((line) => /^[# @$.*+]+$/.test(line)) : [];
  if (rows.length === 0) throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  const board = rows.join('/');
  if (!plans.has(board)) plan(rows);
  return { text: gridMoves[plans.get(board) ?? rng.int(4)] };
};

function plan(rows: readonly string[]): void {
  if (plans.size > 100_000) plans.clear();
  const columns = rows[0]?.length as number;
  let cells = rows.join('');
  const { solution } = solveSokoban({ cells, columns, rows: rows.length }, { most: mostStates });
  const textOf = () => cells.match(new RegExp(`.{${columns}}`, 'g'))?.join('/') as string;
  if (solution === null) plans.set(textOf(), null);
  for (const letter of solution?.path ?? '') {
    const direction = 'ldru'.indexOf(letter.toLowerCase());
    plans.set(textOf(), direction);
    cells = movePlayer(cells, columns, direction);
  }
}

export const scripts: Readonly<Record<string, Script>> = { solver };
