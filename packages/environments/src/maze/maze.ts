/**
 * @file A maze: find the way to the goal, seeing the whole map, only one's own position, or only the surrounding walls; by single steps or
 * by runs to the next crossing.
 */

import type { Ask, Message, Rng, Script, TaskOf, TaskState, View } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { GridMap } from '../grid.ts';
import { distancesTo, drawMap, gridDirections, gridMoves, neighbour, readMap, rowsText, splitParameter, withCell } from '../grid.ts';
import { boardImage } from '../picture/board.ts';

/** Takes the first step of a shortest path on the latest map. */
const shortest: Script = (turn) => {
  const last = turn.view.seen.findLast((item) => item.kind === 'message' && item.text.includes('left.'));
  const rows = last?.kind === 'message' ? last.text.split('\n').filter((line) => /^[# G@]+$/.test(line) && line.includes('#')) : [];
  if (rows.length === 0) return explorer(turn);
  const map = { cells: rows.join(''), columns: rows[0]?.length as number, rows: rows.length };
  const distance = distancesTo([map.cells.indexOf('G')], map, (mark) => mark !== '#');
  const at = map.cells.indexOf('@');
  const way = [0, 1, 2, 3].find((direction) => {
    const next = neighbour(at, direction, map.columns, map.rows);
    return next >= 0 && distance[next] === distance[at] - 1;
  });
  return { text: gridMoves[way ?? 0] };
};

const moves = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

/** Goes to the nearest unvisited cell through visited ones, so every cell is eventually reached. */
function explorer({ view }: { readonly view: View }): { readonly text: string } {
  const ways = chart(view);
  const first = new Map<string, number>([[ways.at, -1]]);
  for (const [place, step] of first) {
    const open = ways.open.get(place);
    if (open === undefined) return { text: gridMoves[step] };
    for (const direction of open) {
      const next = beside(place, direction);
      if (!first.has(next)) first.set(next, step < 0 ? direction : step);
    }
  }
  return { text: gridMoves[0] };
}

/** Returns positions relative to the start, and the open directions of the visited ones. */
function chart(view: View): { readonly at: string; readonly open: ReadonlyMap<string, readonly number[]> } {
  const open = new Map<string, readonly number[]>();
  let at = '0 0';
  for (const item of view.seen) {
    if (item.kind !== 'message') continue;
    const run = /^You go ([a-z, ]+)\./.exec(item.text)?.[1]?.split(', ') ?? [];
    let before = -1;
    for (const way of run.map((word) => gridDirections.indexOf(word as 'left'))) {
      // Within a run there is one way back and one way forward.
      if (before >= 0) open.set(at, [(before + 2) % 4, way]);
      at = beside(at, way);
      before = way;
    }
    const match = linear(/There (?:are no walls beside you|(?:is a wall|are walls): ([a-z, ]+))\./).exec(item.text);
    if (match === null) continue;
    const walls = match[1]?.split(', ') ?? [];
    open.set(
      at,
      [0, 1, 2, 3].filter((direction) => !walls.includes(gridDirections[direction])),
    );
  }
  if (!view.seen.some((item) => item.kind === 'message' && item.text.includes('Find the way through the maze')))
    throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  return { at, open };
}

function beside(place: string, direction: number): string {
  const [row, column] = place.split(' ').map(Number) as [number, number];
  const [down, right] = moves[direction];
  return `${row + down} ${column + right}`;
}

export const scripts: Readonly<Record<string, Script>> = { shortest };

/** Rows of walls, with S for the default start and G for the goal. */
export const mazes = {
  'u-maze': '#####/#   #/# # #/#S#G#/#####',
  'double-t': [
    '#############',
    '#S    #     #',
    '### ##### ###',
    '### ##### ###',
    '### ##### ###',
    '###       ###',
    '###### ######',
    '###### ######',
    '######G######',
    '#############',
  ].join('/'),
} as const;

/** Draws a maze: rooms at odd positions are joined to a tree by a walk that backtracks at dead ends; then `loops` more walls are opened. */
export function drawMaze(size: number, loops: number, rng: Rng): GridMap {
  const columns = 2 * size + 1;
  const open = new Uint8Array(columns * columns);
  const roomAt = (room: number) => (2 * Math.floor(room / size) + 1) * columns + 2 * (room % size) + 1;
  const beside = (room: number): number[] => {
    const column = room % size;
    const next: number[] = [];
    if (column > 0) next.push(room - 1);
    if (column < size - 1) next.push(room + 1);
    if (room >= size) next.push(room - size);
    if (room < size * (size - 1)) next.push(room + size);
    return next;
  };
  const path = [rng.int(size * size)];
  open[roomAt(path[0])] = 1;
  while (path.length > 0) {
    const room = path.at(-1) as number;
    const fresh = beside(room).filter((next) => open[roomAt(next)] === 0);
    if (fresh.length === 0) {
      path.pop();
      continue;
    }
    const next = rng.pick(fresh);
    open[(roomAt(room) + roomAt(next)) / 2] = 1;
    open[roomAt(next)] = 1;
    path.push(next);
  }
  const walls: number[] = [];
  for (let room = 0; room < size * size; room++)
    for (const next of beside(room)) {
      const wall = (roomAt(room) + roomAt(next)) / 2;
      if (next > room && open[wall] === 0) walls.push(wall);
    }
  for (const wall of rng.shuffle(walls).slice(0, loops)) open[wall] = 1;
  const marks: string[] = Array.from(open, (value) => (value === 1 ? ' ' : '#'));
  const [start, goal] = rng.shuffle(Array.from({ length: size * size }, (_, room) => roomAt(room))) as [number, number];
  marks[start] = 'S';
  marks[goal] = 'G';
  return { cells: marks.join(''), columns, rows: columns };
}

const parameters = {
  map: parameter.choice({
    options: ['generated', 'double-t', 'u-maze'],
    default: 'generated',
    description: 'a maze generated from the seed, or a standard one',
  }),
  layout: parameter.string({ default: '', description: 'a custom maze, rows of #, space, S and G joined by "/", instead of a map' }),
  size: parameter.integer({ min: 2, max: 12, default: 4, description: 'generated: rooms in a row' }),
  loops: parameter.integer({
    min: 0,
    max: 40,
    default: 1,
    description: 'generated: number of walls opened beyond those needed to connect all rooms',
  }),
  sight: parameter.choice({
    options: ['map', 'place', 'walls', 'local'],
    default: 'map',
    description:
      'what is told: the whole map, the goal’s and one’s own place with the walls around, those walls alone, or the walls and the last direction without the steps that are left, so that places that look alike read alike in every maze',
  }),
  moves: parameter.choice({
    options: ['steps', 'runs'],
    default: 'steps',
    description:
      'a move is one step, or a run: it goes on, around corners too, to the next crossing, dead end or the goal, and costs its steps',
  }),
  anywhere: parameter.boolean({ default: false, description: 'start at any free cell instead of S' }),
  steps: parameter.integer({ min: 1, max: 1000, default: 100, description: 'maximum number of steps' }),
  split: splitParameter,
  retries,
} as const;

/** Single-step moves are omitted, so that logs of tasks without the parameter stay unchanged. */
type Task = Omit<TaskOf<typeof parameters>, 'moves'> & { readonly moves?: 'runs' };

/** `cells` has walls as # and the goal as G; all else is free. */
type State = TaskState<Walk, Task>;
type Walk = {
  readonly cells: string;
  readonly columns: number;
  readonly at: number;
  readonly left: number;
  /** The steps of the last run, which the walker has noticed. Single steps are those of the move. */
  readonly ran?: readonly number[];
};

const seat = 'walker';
const alone = [seat] as const;
const ask: Ask = { seat, choices: gridMoves };
const isFree = (mark: string) => mark !== '#';

export const maze = defineEnvironment({
  id: 'maze@1',
  about: {
    summary:
      'A walker looks for the goal of a maze, moving one cell or along a corridor at a time. Each step costs 1 except the one that arrives, so the best return is 1 minus the length of the shortest path. The walker sees the whole map, or its own position, the goal’s, and nearby walls, or nearby walls only.',
    tasks: [
      {},
      { map: 'double-t', sight: 'place' },
      { map: 'u-maze', sight: 'walls' },
      { size: 6, loops: 4, sight: 'walls', steps: 300 },
      { sight: 'local', moves: 'runs' },
    ],
    turns: 300 * 11,
    complete: true,
    words: [...gridDirections],
  },
  parameters,
  task({ moves, ...task }): Task {
    if (task.layout !== '') checkLayout(task.layout);
    return moves === 'runs' ? { ...task, moves } : task;
  },
  seats: [seat],

  start(task, rng) {
    const { cells, columns } = mapOf(task, rng);
    const free = [...cells].flatMap((mark, cell) => (mark === ' ' || mark === 'S' ? [cell] : []));
    const at = task.anywhere ? rng.pick(free) : cells.indexOf('S');
    const state: Walk = { cells: cells.replace('S', ' '), columns, at, left: task.steps };
    return { state, messages: `${rulesFor(task)}\n${sightOf({ ...state, task })}` };
  },

  turn: () => ask,

  play(state, move) {
    const { task, cells, columns } = state;
    const ways = waysOf(state, gridMoves.indexOf(move));
    const at = ways.reduce((cell, way) => neighbour(cell, way, columns, cells.length / columns), state.at);
    // A step against a wall counts as a step.
    const cost = Math.max(1, ways.length);
    const next: State = { ...state, at, left: state.left - cost, ...(task.moves === 'runs' && { ran: ways }) };
    const arrived = cells[at] === 'G';
    const ending = arrived ? '\nYou reach the goal.' : next.left === 0 ? '\nNo step is left.' : '';
    return { state: next, messages: messagesAfter(next, ways, ending), rewards: { [seat]: (arrived ? 1 : 0) - cost }, over: ending !== '' };
  },

  forfeit: (state, _, messages) => ({ state, messages, rewards: { [seat]: -state.left }, over: true }),

  knows(state) {
    const { task, cells, at, left, ran } = state;
    const steps = { left, arrived: cells[at] === 'G' };
    if (task.sight === 'map') return { ...steps, cells, at };
    const near = { walls: wallsAt(state), ...(ran !== undefined && { ran }) };
    if (task.sight === 'place') return { ...steps, goal: cells.indexOf('G'), at, ...near };
    return task.sight === 'walls' ? { ...steps, ...near } : { arrived: steps.arrived, over: left === 0, ...near };
  },
  draw: ({ task, cells, columns, at }) => (task.sight === 'map' ? boardImage(rowsText(withCell(cells, at, '@'), columns)) : null),
  scripts,
});

/** Returns the steps of a move as directions: none if a wall is in the way, several for a run. */
function waysOf({ task, cells, columns, at, left }: State, first: number): readonly number[] {
  const opens = (cell: number, way: number) => {
    const next = neighbour(cell, way, columns, cells.length / columns);
    return next >= 0 && isFree(cells[next]);
  };
  if (!opens(at, first)) return [];
  if (task.moves !== 'runs') return [first];
  const ways = [first];
  let cell = neighbour(at, first, columns, cells.length / columns);
  while (ways.length < left && cells[cell] !== 'G' && cell !== at) {
    const back = (ways[ways.length - 1] + 2) % 4;
    const [on, other] = [0, 1, 2, 3].filter((way) => way !== back && opens(cell, way));
    if (on === undefined || other !== undefined) break;
    ways.push(on);
    cell = neighbour(cell, on, columns, cells.length / columns);
  }
  return ways;
}

/**
 * Describes the effect of a move and the new view. A local view is a separate message with only the last direction, so that a window of one
 * shows it alone.
 */
function messagesAfter(state: State, ways: readonly number[], ending: string): readonly Message[] {
  const did = ways.length === 0 ? 'A wall is in the way.' : `You go ${ways.map((way) => gridDirections[way]).join(', ')}.`;
  if (state.task.sight !== 'local') return [{ to: alone, text: `${did}\n${sightOf(state)}${ending}` }];
  const heading = ways.length === 0 ? did : `You head ${gridDirections[ways[ways.length - 1]]}.`;
  return [
    { to: alone, text: did },
    { to: alone, text: `${heading} ${sightOf(state)}${ending}` },
  ];
}

function mapOf(task: Task, rng: Rng): GridMap {
  if (task.layout !== '') return checkLayout(task.layout);
  if (task.map !== 'generated') return checkLayout(mazes[task.map]);
  return drawMap(
    'maze',
    task.split,
    () => drawMaze(task.size, task.loops, rng),
    ({ cells }) => cells,
  );
}

const knownEntries = new Map<string, GridMap>();

function checkLayout(text: string): GridMap {
  const before = knownEntries.get(text);
  if (before !== undefined) return before;
  const map = readMap('maze', text, '# SG');
  for (const mark of 'SG')
    if (map.cells.split(mark).length !== 2) throw new Fault('input', `maze: a layout must have exactly one ${mark}, but got "${text}".`);
  const ways = distancesTo([map.cells.indexOf('G')], map, isFree);
  if ([...map.cells].some((mark, cell) => isFree(mark) && ways[cell] === -1))
    throw new Fault('input', `maze: a layout must have a path to G from every free cell, but got "${text}".`);
  if (knownEntries.size < 1000) knownEntries.set(text, map);
  return map;
}

function rulesFor({ sight, steps, moves }: Task): string {
  const text = sight === 'map' ? ' # is a wall, G the goal, @ you.' : '';
  const runs = moves === 'runs' ? ' A move goes on, around corners too, to the next crossing, dead end or the goal.' : '';
  return `Find the way through the maze to its goal.${text}${runs} Each step costs 1, but the one that arrives is free. You have ${steps} steps.\nAnswer with exactly one of ${gridMoves.join(' ')}.`;
}

function wallsAt({ cells, columns, at }: Walk): string {
  const walls = gridDirections.filter((_, direction) => {
    const next = neighbour(at, direction, columns, cells.length / columns);
    return next < 0 || cells[next] === '#';
  });
  if (walls.length === 0) return 'There are no walls beside you.';
  return `There ${walls.length === 1 ? 'is a wall' : 'are walls'}: ${walls.join(', ')}.`;
}

function sightOf(state: Walk & { readonly task: Task }): string {
  const { task, cells, columns, at, left } = state;
  const steps = left === 1 ? '1 step is left.' : `${left} steps are left.`;
  if (task.sight === 'map') return `${rowsText(withCell(cells, at, '@'), columns)}\n${steps}`;
  if (task.sight === 'local') return wallsAt(state);
  const place = (cell: number) => `row ${Math.floor(cell / columns)}, column ${cell % columns}`;
  const where = task.sight === 'place' ? `The goal is at ${place(cells.indexOf('G'))}. You are at ${place(at)}. ` : '';
  return `${where}${wallsAt(state)} ${steps}`;
}
