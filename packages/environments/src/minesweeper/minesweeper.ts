/** @file Minesweeper: open every cell that is not a mine. A number shows how many of a cell's neighbors are mines. */

import type { MoveOutcome, Rng, Script, TaskOf, TaskState, View } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { drawMap, readMap, rowsText, splitParameter, withCell } from '../grid.ts';
import { boardImage } from '../picture/board.ts';
import { around, ExactField, exactUpTo, neighbourBits, popcount } from './exact.ts';
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

/** Opens a cell with the best exact probability of winning. */
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

/** Opens the cell with the lowest probability of a mine, the first in a tie. Ignores the information gained from its number. */
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

const parameters = {
  columns: parameter.integer({ min: 2, max: 16, default: 6, description: 'width of the field' }),
  rows: parameter.integer({ min: 2, max: 16, default: 6, description: 'height of the field' }),
  mines: parameter.integer({ min: 1, max: 99, default: 5, description: 'mines; at least one cell must be free of them' }),
  safe: parameter.boolean({
    default: true,
    description: 'the first cell opened is never a mine; the mines are spread evenly over the others',
  }),
  layout: parameter.string({
    default: '',
    description: 'a custom field, rows of * and . joined by "/", used unchanged instead of a random one',
  }),
  split: splitParameter,
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/** `order` is the order in which mines would be placed. `mined` contains their cells, and is empty until the first cell is opened. */
type State = TaskState<Field, Task>;
type Field = {
  readonly order: readonly number[];
  readonly mined: readonly number[];
  /** One character per cell: # hidden, F flagged, a digit if open, * the mine that was hit. */
  readonly shown: string;
  readonly left: number;
};

const seat = 'sweeper';

export const minesweeper = defineEnvironment({
  id: 'minesweeper@1',
  about: {
    summary:
      'A player opens the cells of a minefield. Each open cell shows how many of its neighbors are mines, and a cell without any opens its neighbors. Opening every safe cell pays 1, opening a mine pays 0. Cells can be flagged. For small fields the best winning rate is known exactly: 80/91 for three mines on 4 × 4 if the first cell is safe.',
    tasks: [{}, { columns: 4, rows: 4, mines: 3 }, { columns: 3, rows: 3, mines: 2, safe: false }, { columns: 9, rows: 9, mines: 10 }],
    turns: 3 * 81 * 11,
    complete: true,
    words: ['reveal', 'flag'],
  },
  parameters,
  task(task) {
    if (task.layout !== '') {
      const { cells, columns, rows } = readMap('minesweeper', task.layout, '*.');
      if (!cells.includes('.') || columns > 16 || rows > 16)
        throw new Fault('input', `minesweeper: a layout must have a free cell and at most 16 rows and columns, but got "${task.layout}".`);
      return { ...task, columns, rows, mines: cells.split('*').length - 1, safe: false };
    }
    if (task.mines >= task.columns * task.rows)
      throw new Fault('input', `minesweeper: "mines" must leave a cell free of ${task.columns * task.rows}, but got ${task.mines}.`);
    return task;
  },
  seats: [seat],

  start(task, rng) {
    const size = task.columns * task.rows;
    const state: Field = { order: orderOf(task, rng), mined: [], shown: '#'.repeat(size), left: 3 * size };
    return { state, messages: `${rulesFor(task)}\n${showBoard({ ...state, task })}` };
  },

  turn({ task, shown }) {
    const { reveal, flag } = wordsOf(task);
    const choices: string[] = [];
    for (let cell = 0; cell < shown.length; cell++) if (shown[cell] === '#') choices.push(reveal[cell]);
    for (let cell = 0; cell < shown.length; cell++) if (shown[cell] === '#' || shown[cell] === 'F') choices.push(flag[cell]);
    return { seat, choices };
  },

  play(state, move) {
    const { task, shown } = state;
    const moveWords = wordsOf(task);
    const left = state.left - 1;
    const flagged = moveWords.flag.indexOf(move);
    if (flagged >= 0) return goOn({ ...state, shown: withCell(shown, flagged, shown[flagged] === 'F' ? '#' : 'F'), left });
    const cell = moveWords.reveal.indexOf(move);
    const mined = state.mined.length > 0 ? state.mined : layMines(state, cell);
    if (mined.includes(cell)) return finish({ ...state, mined, shown: withCell(shown, cell, '*'), left }, 'You open a mine.', 0);
    const next: State = { ...state, mined, shown: openCells(state, mined, cell), left };
    return isSwept(next) ? finish(next, 'Every safe cell is open.', 1) : goOn(next);
  },

  knows: ({ shown, left }) => ({ shown, left }),
  draw: ({ shown, task }) => boardImage(rowsText(shown, task.columns)),
  scripts,
});

function finish(state: State, why: string, reward: number): MoveOutcome<State> {
  return { state, messages: `${showBoard(state)}\n${why}`, rewards: { [seat]: reward }, over: true };
}

function goOn(state: State): MoveOutcome<State> {
  const text = showBoard(state);
  if (state.left > 0) return { state, messages: text };
  const messages = [text, 'No turn is left.'].map((each) => ({ to: [seat], text: each }));
  return { state, messages, rewards: { [seat]: 0 }, over: true };
}

function orderOf(task: Task, rng: Rng): readonly number[] {
  const cells = Array.from({ length: task.columns * task.rows }, (_, i) => i);
  if (task.layout !== '') {
    const marks = task.layout.replaceAll('/', '');
    return cells.filter((cell) => marks[cell] === '*');
  }
  // One more cell than mines, because the first click may take the place of one.
  return drawMap(
    'minesweeper',
    task.split,
    () => rng.shuffle(cells).slice(0, task.mines + 1),
    (order) => order.join(' '),
  );
}

/** Returns the mines once the first cell is chosen. */
function layMines({ task, order }: State, first: number): readonly number[] {
  const free = task.safe ? order.filter((cell) => cell !== first) : order;
  return free.slice(0, task.mines);
}

/** Returns the board after opening a safe cell, including the cells that open around zeros. */
function openCells({ task: { columns, rows }, shown }: State, mined: readonly number[], cell: number): string {
  const now = [...shown];
  const queue = [cell];
  for (const open of queue) {
    const near = around(open, columns, rows);
    let mines = 0;
    for (const other of near) if (mined.includes(other)) mines++;
    now[open] = `${mines}`;
    // The player's flags stay.
    if (mines === 0)
      for (const other of near)
        if (now[other] === '#') {
          now[other] = '0';
          queue.push(other);
        }
  }
  return now.join('');
}

function isSwept({ task: { mines }, shown }: State): boolean {
  let hidden = 0;
  for (let i = 0; i < shown.length; i++) if (shown[i] === '#' || shown[i] === 'F') hidden++;
  return hidden === mines;
}

interface Words {
  readonly reveal: readonly string[];
  readonly flag: readonly string[];
}

const cachedMoveWords = new Map<number, Words>();

/** Cached texts of moves, by cell. */
function wordsOf({ columns, rows }: Task): Words {
  const key = columns * 100 + rows;
  let word = cachedMoveWords.get(key);
  if (word === undefined) {
    const places = Array.from({ length: columns * rows }, (_, cell) => `${Math.floor(cell / columns)} ${cell % columns}`);
    word = { reveal: places.map((place) => `[reveal ${place}]`), flag: places.map((place) => `[flag ${place}]`) };
    cachedMoveWords.set(key, word);
  }
  return word;
}

function rulesFor({ columns, rows, mines, safe }: Task): string {
  const first = safe ? ' The first cell that you open is never a mine.' : '';
  return `Open every cell of a field of ${columns} columns and ${rows} rows that is no mine; there are ${mines} mines.${first} # is hidden, F flagged; a digit tells how many of the up to eight neighbours are mines. Opening a mine ends the game; opening all else pays 1.\nAnswer with exactly one move: [reveal ROW COLUMN], or [flag ROW COLUMN] to set or lift a flag. Rows and columns count from 0 at the top left.`;
}

function showBoard({ task, shown, left }: Field & { readonly task: Task }): string {
  const flags = shown.split('F').length - 1;
  return `${rowsText(shown, task.columns)}\nMines not flagged: ${task.mines - flags}. Turns left: ${left}.`;
}
