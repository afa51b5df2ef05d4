/**
 * @file k in a row on a board of any size: tic-tac-toe, connect-four (with gravity), and everything between. Perfect information, zero-sum.
 */

import type { Ask, Environment, Message, MoveOutcome, ParsedMove, Seat, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, parameter, parseBracketed, retries } from '@ludus-agents/kernel/internal/core/index';
import { perfectUpTo, searchScripts } from './kinarow.scripts.ts';
import { boardImage } from './picture/board.ts';
import type { Game } from './solve/search.ts';

interface BoardShape {
  readonly columns: number;
  readonly rows: number;
  readonly k: number;
  readonly gravity: boolean;
}

const parametersOf = (board: BoardShape) => ({
  columns: parameter.integer({ min: 1, max: 12, default: board.columns, description: 'width of the board' }),
  rows: parameter.integer({ min: 1, max: 12, default: board.rows, description: 'height of the board' }),
  k: parameter.integer({ min: 2, max: 12, default: board.k, description: 'marks in a row that win' }),
  gravity: parameter.boolean({ default: board.gravity, description: 'a mark falls to the lowest free cell of its column' }),
  retries,
});

type Task = TaskOf<ReturnType<typeof parametersOf>>;

/** `cells` has one character per cell, row by row from the top: X, O, or a dot. */
type Board = { readonly cells: string; readonly moves: number };
type State = TaskState<Board, Task>;

const seats = ['X', 'O'] as const;
const both: readonly Seat[] = seats;

/** A board as seen by a search. `last` is the last marked cell, or −1 at the root; `mark` is to move. */
type Position = { readonly state: Pick<State, 'cells' | 'task'>; readonly last: number; readonly mark: string };

const game: Game<Position> = {
  moves({ state: { cells, task } }) {
    const moves: number[] = [];
    const end = task.gravity ? task.columns : cells.length;
    for (let i = 0; i < end; i++) if (cells.charCodeAt(i) === dot) moves.push(i);
    return moves;
  },
  after({ state, mark }, move) {
    const cell = cellAfterDrop(state, move);
    const cells = state.cells.slice(0, cell) + mark + state.cells.slice(cell + 1);
    return { state: { cells, task: state.task }, last: cell, mark: mark === 'X' ? 'O' : 'X' };
  },
  end({ state, last }) {
    if (last >= 0 && completes(state, last)) return -1;
    return state.cells.includes('.') ? null : 0;
  },
  key: ({ state }) => state.cells,
  most: 1,
};

const { minimax, lookahead } = searchScripts(game, ({ cells, ...board }): Position => {
  const marks = cells.replaceAll('.', '').length;
  return { state: { cells, task: { ...board, retries: 0 } }, last: -1, mark: marks % 2 === 0 ? 'X' : 'O' };
});

/** Creates the game under a name, with a default board. */
function kInARow(name: string, board: BoardShape, summary: string): Environment<State, Task> {
  return defineEnvironment({
    id: `${name}@1`,
    about: {
      summary,
      tasks: [{}, { columns: 4, rows: 4, k: 3, gravity: true }],
      turns: 11 * Math.max(16, board.columns * board.rows),
      sum: 0,
      complete: true,
      open: true,
    },
    parameters: parametersOf(board),
    seats,
    start: (task) => openingOf(task),
    turn: asksOf,
    read: (action, state) => readCell(state, action.text),
    play(state, move, { seat }) {
      const cell = cellAfterDrop(state, move);
      const cells = state.cells.slice(0, cell) + seat + state.cells.slice(cell + 1);
      const next: State = { ...state, cells, moves: state.moves + 1 };
      const text = `${seat} plays ${written[move]}.\n${boardText(next)}`;
      if (completes(next, cell)) return finish(next, [text, `${seat} wins.`], seat);
      if (next.moves === cells.length) return finish(next, [text, 'The board is full: a draw.'], null);
      return { state: next, messages: text };
    },
    forfeit: (state, seat, text) => finish(state, [text], seat === 'X' ? 'O' : 'X'),
    knows: (state) => ({ cells: state.cells, moves: state.moves }),
    draw: (state) => boardImage(boardText(state)),
    // Episodes on a small board share a few thousand positions.
    recurs: ({ cells }) => (cells.length <= smallBoard ? cells : null),
    // The first script is the default.
    scripts: board.columns * board.rows > perfectUpTo(board.gravity) ? { lookahead, minimax } : { minimax, lookahead },
  });
}

const smallBoard = 9;

export const ticTacToe = kInARow(
  'tic-tac-toe',
  { columns: 3, rows: 3, k: 3, gravity: false },
  'Two players place X and O on a 3 × 3 board; three in a row win. Perfect play is a draw. Rewards are +1, 0 or −1.',
);

export const connectFour = kInARow(
  'connect-four',
  { columns: 7, rows: 6, k: 4, gravity: true },
  'Two players drop X and O into seven columns of six cells; four in a row win. The first player wins with perfect play. Rewards are +1, 0 or −1.',
);

export const kinarow = kInARow(
  'kinarow',
  { columns: 4, rows: 4, k: 3, gravity: true },
  'Two players place X and O on a board of any size, with or without gravity; k in a row win. Rewards are +1, 0 or −1.',
);

/** Cached, because all episodes of a task start alike. */
const openings = new WeakMap<Task, MoveOutcome<Board>>();

function openingOf(task: Task): MoveOutcome<Board> {
  const before = openings.get(task);
  if (before !== undefined) return before;
  const state: Board = { cells: '.'.repeat(task.columns * task.rows), moves: 0 };
  const picture = boardText({ ...state, task });
  const opening = { state, messages: seats.map((seat): Message => ({ to: [seat], text: `${rulesFor(seat, task)}\n${picture}` })) };
  openings.set(task, opening);
  return opening;
}

/** Parses a move with the same result as `choose` on the list of legal moves, without building the list. */
function readCell(state: State, text: string): ParsedMove<number> {
  let move = moveByText.get(text);
  if (move === undefined) {
    const read = parseBracketed({ text });
    if (!read.ok) return read;
    move = moveByText.get(`[${read.move}]`);
  }
  if (move === undefined) return { ok: false, problem: 'That is not a move here: write a number in square brackets.' };
  const end = state.task.gravity ? state.task.columns : state.cells.length;
  if (move < end && state.cells.charCodeAt(move) === dot) return { ok: true, move };
  return { ok: false, problem: `${written[move]} is not a legal move here.` };
}

function finish(state: State, texts: readonly string[], winner: Seat | null): MoveOutcome<State> {
  const x = winner === null ? 0 : winner === 'X' ? 1 : -1;
  return { state, messages: texts.map((text) => ({ to: both, text })), rewards: { X: x, O: x === 0 ? 0 : -x }, over: true };
}

function rulesFor(seat: Seat, { columns, rows, k, gravity }: Task): string {
  const where = gravity
    ? `Answer with a column from 0 (left) to ${columns - 1}; your mark falls to its lowest free cell.`
    : `Answer with a free cell; cells are numbered row by row from 0 (top left) to ${columns * rows - 1}.`;
  return `You are ${seat} on a board of ${columns} columns and ${rows} rows. X moves first. ${k} of your marks in a row, column or diagonal win.\n${where} Write exactly one move in square brackets, like [0].`;
}

/** Moves as text, by number. */
const written = Array.from({ length: 144 }, (_, i) => `[${i}]`);
const moveByText: ReadonlyMap<string, number> = new Map(written.map((text, i) => [text, i]));

const dot = '.'.charCodeAt(0);

/** Cached lists of free moves, by their bits and by seat, because all episodes share a few. */
const menus: Readonly<Record<Seat, (readonly Ask[] | undefined)[]>> = { X: [], O: [] };
const longestMenu = 12;

function asksOf({ cells, moves, task }: State): readonly Ask[] {
  const seat = moves % 2 === 0 ? 'X' : 'O';
  // With gravity, a column is free if its top cell is, and the top row comes first.
  const end = task.gravity ? task.columns : cells.length;
  if (end > longestMenu) return menuOf(seat, cells, end);
  let free = 0;
  for (let i = 0; i < end; i++) if (cells.charCodeAt(i) === dot) free |= 1 << i;
  const asks = menus[seat][free] ?? menuOf(seat, cells, end);
  menus[seat][free] = asks;
  return asks;
}

function menuOf(seat: Seat, cells: string, end: number): readonly Ask[] {
  return [{ seat, choices: written.slice(0, end).filter((_, i) => cells.charCodeAt(i) === dot) }];
}

function cellAfterDrop(state: Pick<State, 'cells' | 'task'>, move: number): number {
  if (!state.task.gravity) return move;
  let cell = move;
  while (state.cells.charCodeAt(cell + state.task.columns) === dot) cell += state.task.columns;
  return cell;
}

function boardText({ cells, task }: Pick<State, 'cells' | 'task'>): string {
  let text = cells.slice(0, task.columns);
  for (let row = 1; row < task.rows; row++) text += `\n${cells.slice(row * task.columns, (row + 1) * task.columns)}`;
  return text;
}

/** Returns whether the mark just placed at `cell` completes a line of k. */
function completes(state: Pick<State, 'cells' | 'task'>, cell: number): boolean {
  const { columns, rows, k } = state.task;
  const mark = state.cells.charCodeAt(cell);
  const x = cell % columns;
  const y = (cell - x) / columns;
  for (let direction = 0; direction < 4; direction++) {
    const dx = direction === 1 ? 0 : 1;
    const dy = direction === 0 ? 0 : direction === 3 ? -1 : 1;
    let run = 1;
    for (let side = -1; side <= 1; side += 2) {
      let cx = x + side * dx;
      let cy = y + side * dy;
      while (cx >= 0 && cx < columns && cy >= 0 && cy < rows && state.cells.charCodeAt(cy * columns + cx) === mark) {
        run++;
        cx += side * dx;
        cy += side * dy;
      }
    }
    if (run >= k) return true;
  }
  return false;
}
