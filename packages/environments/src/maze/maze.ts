/** @file A maze: find the way to the goal, with the whole map in sight, with one's own place alone, or with nothing but the walls around; by single steps or by runs to the next crossing. */

import {
  type Ask,
  defineEnvironment,
  Fault,
  knob,
  type Message,
  type Rng,
  retries,
  type TaskOf,
  type TaskState,
} from '@ludus-agents/kernel/internal/core/index';
import {
  distancesTo,
  drawMap,
  type GridMap,
  gridDirections,
  gridMoves,
  neighbour,
  readMap,
  rowsText,
  splitKnob,
  withCell,
} from '../grid.ts';
import { boardImage } from '../picture/board.ts';
import { drawMaze, mazes } from './generate.ts';
import { scripts } from './scripts.ts';

const knobs = {
  map: knob.one({ of: ['generated', 'double-t', 'u-maze'], otherwise: 'generated', about: 'a maze made from the seed, or a usual one' }),
  layout: knob.text({ otherwise: '', about: 'a maze of your own, rows of #, space, S and G joined by "/", instead of a map' }),
  size: knob.whole({ from: 2, to: 12, otherwise: 4, about: 'generated: rooms in a row' }),
  loops: knob.whole({ from: 0, to: 40, otherwise: 1, about: 'generated: walls opened beyond those that just connect all rooms' }),
  sight: knob.one({
    of: ['map', 'place', 'walls', 'local'],
    otherwise: 'map',
    about:
      'what is told: the whole map, the goal’s and one’s own place with the walls around, those walls alone, or the walls and the last direction without the steps that are left, so that places that look alike read alike in every maze',
  }),
  moves: knob.one({
    of: ['steps', 'runs'],
    otherwise: 'steps',
    about: 'a move is one step, or a run: it goes on, around corners too, to the next crossing, dead end or the goal, and costs its steps',
  }),
  anywhere: knob.yesno({ otherwise: false, about: 'start at any free cell instead of S' }),
  steps: knob.whole({ from: 1, to: 1000, otherwise: 100, about: 'steps in all' }),
  split: splitKnob,
  retries,
} as const;

/** Moves that are single steps are not named, so that logs of tasks without the knob stay as they are. */
type Task = Omit<TaskOf<typeof knobs>, 'moves'> & { readonly moves?: 'runs' };

/** `cells` has walls as # and the goal as G; all else is free. */
type State = TaskState<Walk, Task>;
type Walk = {
  readonly cells: string;
  readonly columns: number;
  readonly at: number;
  readonly left: number;
  /** The steps of the last run, which the walker has felt; single steps are what was asked for. */
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
      'One walker looks for the goal of a maze, a cell a step or a corridor a run. Each step costs 1, the one that arrives nothing, so that the best return is 1 less the length of the shortest way. It sees the whole map, or its own place and the goal’s with the walls around it, or those walls alone.',
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
  knobs,
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
    // A step against a wall is a step too.
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

/** The steps of a move, in directions: none where a wall is in the way, and more than one where it is a run. */
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

/** What a move did and what is seen then. Local sight is a message of its own with no more than the last direction, and a window of one shows it alone. */
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
