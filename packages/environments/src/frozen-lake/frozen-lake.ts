/** @file Frozen lake: cross the ice to the goal without falling into a hole, while steps may slide sideways. Its value is known exactly. */

import type { Ask, Rng, Script, TaskOf, TaskState, View } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { GridMap } from '../grid.ts';
import { distancesTo, drawMap, gridDirections, gridMoves, neighbour, readMap, rowsText, splitParameter, withCell } from '../grid.ts';
import { boardImage } from '../picture/board.ts';
import { bestDirections, type Lake, slides, withinSteps } from './solve.ts';

interface Sight {
  readonly lake: Lake;
  readonly at: number;
  readonly left: number;
}

const tables = new Map<string, readonly Float64Array[]>();

/** Returns a lake's value tables, cached across steps and episodes. */
function tablesOf(lake: Lake, steps: number): readonly Float64Array[] {
  const key = `${lake.steady} ${lake.columns} ${lake.cells}`;
  const before = tables.get(key);
  if (before !== undefined && before.length > steps) return before;
  if (tables.size > 200) tables.clear();
  const results = withinSteps(lake, steps);
  tables.set(key, results);
  return results;
}

/** Takes the optimal step by value iteration over cells and remaining steps. */
const optimal: Script = ({ view }) => {
  const { lake, at, left } = sightOf(view);
  const after = tablesOf(lake, left)[left - 1];
  return { text: gridMoves[bestDirections(lake, after, at)[0]] };
};

/** Takes the first step of a shortest path around the holes, ignoring sliding. */
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

const parameters = {
  map: parameter.choice({
    options: ['4x4', '8x8', 'generated'],
    default: '4x4',
    description: 'one of the two standard lakes, or one generated from the seed',
  }),
  layout: parameter.string({ default: '', description: 'a custom lake, rows of S F H G joined by "/", instead of a map' }),
  size: parameter.integer({ min: 3, max: 12, default: 6, description: 'generated: rows and columns' }),
  holes: parameter.number({ min: 0, max: 0.6, default: 0.2, description: 'generated: share of cells that are holes' }),
  steady: parameter.number({
    min: 0,
    max: 1,
    default: 1 / 3,
    description: 'probability that a step goes as intended; otherwise it slides to one side',
  }),
  steps: parameter.integer({ min: 0, max: 1000, default: 0, description: 'maximum number of steps; 0 for 25 per row' }),
  split: splitParameter,
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type State = TaskState<Walk, Task>;
type Walk = {
  readonly cells: string;
  readonly columns: number;
  readonly at: number;
  readonly left: number;
};

/** The two standard lakes. */
export const lakes: Readonly<Record<'4x4' | '8x8', string>> = {
  '4x4': 'SFFF/FHFH/FFFH/HFFG',
  '8x8': 'SFFFFFFF/FFFFFFFF/FFFHFFFF/FFFFFHFF/FFFHFFFF/FHHFFFHF/FHFFHFHF/FFFHFFFG',
};

const seat = 'walker';
const ask: Ask = { seat, choices: gridMoves };
const dry = (mark: string) => mark !== 'H';

export const frozenLake = defineEnvironment({
  id: 'frozen-lake@1',
  about: {
    summary:
      'A walker crosses a slippery frozen lake from S to G. Only one step in three goes as intended; the others slide to one side. A hole ends the walk. The goal pays 1, everything else 0. The best possible rate on the default 4 × 4 lake is 0.744190 within its 100 steps and 14/17 without a limit; random play reaches 0.013940.',
    tasks: [{}, { map: '8x8' }, { map: 'generated' }, { steady: 1, steps: 8 }, { map: 'generated', size: 4, holes: 0.3, steady: 0.8 }],
    turns: 200 * 11,
    complete: true,
    open: true,
    words: [...gridDirections],
  },
  parameters,
  task(task) {
    if (task.layout !== '') checkLayout(task.layout);
    return task;
  },
  seats: [seat],

  start(task, rng) {
    const { cells, columns, rows } = lakeOf(task, rng);
    const left = task.steps === 0 ? 25 * rows : task.steps;
    const state: Walk = { cells, columns, at: cells.indexOf('S'), left };
    return { state, messages: `${rulesFor(task)}\n${showBoard(state)}` };
  },

  turn: () => ask,

  play(state, move, { rng }) {
    const { task, cells, columns, at } = state;
    const ways = slides({ cells, columns, rows: cells.length / columns }, at, gridMoves.indexOf(move));
    const next: State = { ...state, at: ways[slide(task.steady, rng)], left: state.left - 1 };
    const text = `${describeMove(state, next)}\n${showBoard(next)}`;
    const mark = cells[next.at];
    const end = (why: string, reward: number) => ({ state: next, messages: `${text}\n${why}`, rewards: { [seat]: reward }, over: true });
    if (mark === 'G') return end('You reach the goal.', 1);
    if (mark === 'H') return end('You fall into a hole.', 0);
    return next.left === 0 ? end('No step is left.', 0) : { state: next, messages: text };
  },

  knows: ({ cells, at, left }) => ({ cells, at, left }),
  draw: ({ cells, at, columns }) => boardImage(rowsText(withCell(cells, at, '@'), columns)),
  scripts,
});

/** Draws the direction of a slide: 0 as intended, 1 and 2 to the sides. */
function slide(steady: number, rng: Rng): number {
  return steady === 1 ? 0 : rng.weighted([steady, (1 - steady) / 2, (1 - steady) / 2]);
}

function lakeOf(task: Task, rng: Rng): GridMap {
  if (task.layout !== '') return checkLayout(task.layout);
  if (task.map !== 'generated') return checkLayout(lakes[task.map]);
  return drawMap(
    'frozen-lake',
    task.split,
    () => draw(task, rng),
    ({ cells }) => cells,
  );
}

/** Draws a lake from corner to corner, or returns null if its holes block every path. */
function draw({ size, holes }: Task, rng: Rng): GridMap | null {
  const last = size * size - 1;
  const marks = Array.from({ length: size * size }, (_, cell) => (cell === 0 ? 'S' : cell === last ? 'G' : rng.next() < holes ? 'H' : 'F'));
  const map: GridMap = { cells: marks.join(''), columns: size, rows: size };
  return distancesTo([last], map, dry)[0] > 0 ? map : null;
}

const knownEntries = new Map<string, GridMap>();

function checkLayout(text: string): GridMap {
  const before = knownEntries.get(text);
  if (before !== undefined) return before;
  const map = readMap('frozen-lake', text, 'SFHG');
  const start = map.cells.indexOf('S');
  if (start < 0 || map.cells.lastIndexOf('S') !== start)
    throw new Fault('input', `frozen-lake: a layout must have exactly one S, but got "${text}".`);
  const goals = [...map.cells].flatMap((mark, cell) => (mark === 'G' ? [cell] : []));
  if (goals.length === 0 || distancesTo(goals, map, dry)[start] < 0)
    throw new Fault('input', `frozen-lake: a layout must have a path from S to a G, but got "${text}".`);
  if (knownEntries.size < 1000) knownEntries.set(text, map);
  return map;
}

function rulesFor({ steady }: Task): string {
  const ice =
    steady === 1
      ? 'The ice is rough: every step goes where you mean it.'
      : `The ice is slippery: a step goes where you mean it with a chance of ${steady}, and else slides to one of the two sides.`;
  return `Walk over the frozen lake to G. H is a hole and ends the walk, @ is you; at the edge you stay where you are. ${ice}\nReaching G pays 1. Answer with exactly one of ${gridMoves.join(' ')}.`;
}

function showBoard({ cells, columns, at, left }: Walk): string {
  const column = at % columns;
  const where = `row ${(at - column) / columns}, column ${column}`;
  return `${rowsText(withCell(cells, at, '@'), columns)}\nYou are at ${where}; ${left === 1 ? '1 step is' : `${left} steps are`} left.`;
}

/** Describes the result of a step. At an edge the direction of the slide stays hidden, because the walker stays in place. */
function describeMove({ at, columns }: Walk, { at: to }: Walk): string {
  if (at === to) return 'You stay where you are.';
  return `You go ${to === at - 1 ? 'left' : to === at + 1 ? 'right' : to === at + columns ? 'down' : 'up'}.`;
}
