/** @file Walkers of the frozen lake: one that knows its exact value with the steps left, and one that takes the shortest way as if nothing slid. */

import { Fault, type Script, type View } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { distancesTo, gridMoves, neighbour } from '../grid.ts';
import { bestDirections, type Lake, withinSteps } from './solve.ts';

interface Sight {
  readonly lake: Lake;
  readonly at: number;
  readonly left: number;
}

const tables = new Map<string, readonly Float64Array[]>();

/** The tables of a lake, made once and remembered for other steps and episodes. */
function tablesOf(lake: Lake, steps: number): readonly Float64Array[] {
  const key = `${lake.steady} ${lake.columns} ${lake.cells}`;
  const before = tables.get(key);
  if (before !== undefined && before.length > steps) return before;
  if (tables.size > 200) tables.clear();
  const results = withinSteps(lake, steps);
  tables.set(key, results);
  return results;
}

/** The best step by value iteration over cells and steps left: no walker does better on average. */
const optimal: Script = ({ view }) => {
  const { lake, at, left } = sightOf(view);
  const after = tablesOf(lake, left)[left - 1];
  return { text: gridMoves[bestDirections(lake, after, at)[0]] };
};

/** The first step of a shortest way around the holes, whatever the ice does. */
const shortest: Script = ({ view }) => {
  const { lake, at } = sightOf(view);
  const goals = [...lake.cells].flatMap((mark, cell) => (mark === 'G' ? [cell] : []));
  const distance = distancesTo(goals, lake, (mark) => mark !== 'H');
  const direction = [0, 1, 2, 3].find((way) => {
    const next = neighbour(at, way, lake.columns, lake.rows);
    return next >= 0 && distance[next] === distance[at] - 1;
  });
  return { text: gridMoves[direction ?? 0] };
};

function sightOf(view: View): Sight {
  const rules = view.seen.find((item) => item.kind === 'message' && item.text.includes('Walk over the frozen lake'));
  const last = view.seen.findLast((item) => item.kind === 'message' && item.text.includes('\nYou are at row'));
  if (rules?.kind !== 'message' || last?.kind !== 'message')
    throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  const steady = Number(linear(/with a chance of ([\d.e-]+), and else/).exec(rules.text)?.[1] ?? 1);
  const lines = last.text.split('\n');
  const end = lines.findIndex((line) => line.startsWith('You are at row'));
  const board = lines.slice(0, end).filter((line) => /^[SFHG@]+$/.test(line));
  const cells = board.join('');
  return {
    lake: { cells: cells.replace('@', 'F'), columns: board[0]?.length ?? 1, rows: board.length, steady },
    at: cells.indexOf('@'),
    left: Number(linear(/(\d+) steps? (?:is|are) left/).exec(lines[end])?.[1]),
  };
}

export const scripts: Readonly<Record<string, Script>> = { optimal, shortest };
