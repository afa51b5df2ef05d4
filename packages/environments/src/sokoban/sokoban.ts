/** @file Sokoban: push every box onto a goal. Boxes cannot be pulled, so a wrong push may lose the level. */

import type { Ask, Rng, Script, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { drawMap, type GridMap, gridDirections, gridMoves, neighbour, readMap, rowsText, splitParameter, withCell } from '../grid.ts';
import { boardImage } from '../picture/board.ts';
import { drawLevel, levels } from './generate.ts';
import { cellsWith, solveSokoban } from './solve.ts';

/** The next move by board, for every board on a known solution. Null for a level that can no longer be solved. */
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

const parameters = {
  level: parameter.choice({
    options: ['generated', 'push', 'turn', 'pair', 'three', 'long'],
    default: 'generated',
    description: 'a level generated from the seed, or a fixed one',
  }),
  layout: parameter.string({
    default: '',
    description: 'a custom level, XSB rows (# @ $ . * + and space) joined by "/", instead of a level',
  }),
  size: parameter.integer({ min: 5, max: 10, default: 6, description: 'generated: rows and columns, including the outer walls' }),
  boxes: parameter.integer({ min: 1, max: 4, default: 2, description: 'generated: boxes and goals' }),
  walls: parameter.number({ min: 0, max: 0.3, default: 0.1, description: 'generated: share of inner cells that are walls' }),
  steps: parameter.integer({
    min: 20,
    max: 1000,
    default: 120,
    description: 'maximum number of moves; generated levels can be solved in half of them',
  }),
  split: splitParameter,
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/** `cells` is the level in XSB. */
type State = { readonly cells: string; readonly columns: number; readonly left: number };

const seat = 'pusher';
const ask: Ask = { seat, choices: gridMoves };

const pays = { step: -0.1, box: 1, done: 10 } as const;

export const sokoban = defineEnvironment({
  id: 'sokoban@1',
  about: {
    summary:
      'A player pushes boxes onto goals, in generated levels that can always be solved. Boxes can only be pushed, one at a time. Each move costs 0.1, a box that reaches a goal pays 1, one that leaves it costs 1, and a solved level pays 10. The fewest moves for a level are computed by search.',
    tasks: [{}, { level: 'three' }, { level: 'push', steps: 20 }, { size: 7, boxes: 1, walls: 0.2, steps: 60 }],
    turns: 120 * 11,
    complete: true,
    open: true,
    words: [...gridDirections],
  },
  parameters,
  task(task) {
    if (task.layout !== '') checkLevel(task.layout);
    return task;
  },
  seats: [seat],

  start(task, rng) {
    const { cells, columns } = levelOf(task, rng);
    const state: State = { cells, columns, left: task.steps };
    return { state, messages: `${rules}\n${showBoard(state)}` };
  },

  turn: () => ask,

  play(state, move) {
    const cells = movePlayer(state.cells, state.columns, gridMoves.indexOf(move));
    const next = { ...state, cells, left: state.left - 1 };
    const done = !cells.includes('$');
    const reward = pays.step + (boxesOn(cells) - boxesOn(state.cells)) * pays.box + (done ? pays.done : 0);
    const ending = done ? '\nEvery box is on a goal.' : next.left === 0 ? '\nNo move is left.' : '';
    const text = `${cells === state.cells ? 'Nothing moves.' : 'You move.'}\n${showBoard(next)}${ending}`;
    return { state: next, messages: text, rewards: { [seat]: reward }, over: ending !== '' };
  },

  knows: ({ cells, left }) => ({ cells, left }),
  draw: ({ cells, columns }) => boardImage(rowsText(cells, columns)),
  scripts,
});

/** Returns the level after a move, unchanged if a wall or a second box is in the way. */
export function movePlayer(cells: string, columns: number, direction: number): string {
  const rows = cells.length / columns;
  const at = cells.indexOf('@') >= 0 ? cells.indexOf('@') : cells.indexOf('+');
  const to = neighbour(at, direction, columns, rows);
  if (to < 0 || cells[to] === '#') return cells;
  let next = cells;
  if (cells[to] === '$' || cells[to] === '*') {
    const beyond = neighbour(to, direction, columns, rows);
    if (beyond < 0 || (cells[beyond] !== ' ' && cells[beyond] !== '.')) return cells;
    next = withCell(next, beyond, cells[beyond] === '.' ? '*' : '$');
  }
  next = withCell(next, to, cells[to] === '.' || cells[to] === '*' ? '+' : '@');
  return withCell(next, at, cells[at] === '+' ? '.' : ' ');
}

function boxesOn(cells: string): number {
  let count = 0;
  for (let i = 0; i < cells.length; i++) if (cells[i] === '*') count++;
  return count;
}

function levelOf(task: Task, rng: Rng): GridMap {
  if (task.layout !== '') return checkLevel(task.layout);
  if (task.level !== 'generated') return checkLevel(levels[task.level]);
  const shape = { size: task.size, boxes: task.boxes, walls: task.walls, back: Math.floor(task.steps / 2) };
  return drawMap(
    'sokoban',
    task.split,
    () => drawLevel(shape, rng),
    ({ cells }) => cells,
  );
}

function checkLevel(text: string): GridMap {
  // Rows may omit trailing cells, which become walls.
  const rows = text.split('/');
  const width = Math.max(...rows.map((row) => row.length));
  const map = readMap('sokoban', rows.map((row) => row.padEnd(width, '#')).join('/'), '# @$.*+');
  const boxes = cellsWith(map.cells, '$*').length;
  const goals = cellsWith(map.cells, '.*+').length;
  if (cellsWith(map.cells, '@+').length !== 1 || boxes === 0 || goals !== boxes || !map.cells.includes('$'))
    throw new Fault(
      'input',
      `sokoban: a level must have one player, as many goals as boxes, and a box that is not on a goal yet, but got "${text}".`,
    );
  return map;
}

const rules = `Push every box onto a goal: # is a wall, @ you, $ a box, . a goal, * a box on a goal, + you on a goal. You push a box by walking into it, if the cell behind it is free; you cannot pull.\nEach move costs 0.1, a box on a goal pays 1 and costs 1 when it leaves, all boxes on goals pay 10. Answer with exactly one of ${gridMoves.join(' ')}.`;

function showBoard({ cells, columns, left }: State): string {
  return `${rowsText(cells, columns)}\n${left === 1 ? '1 move is left.' : `${left} moves are left.`}`;
}
