/** @file Multi-agent pathfinding: agents on a grid walk to their goals, see only their surroundings, and get a new goal on arrival. */

import type { Action, Ask, JsonObject, Message, Rng, Seat, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { choose, defineEnvironment, Fault, forfeitText, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import {
  distancesTo,
  drawMap,
  type GridMap,
  gridDirections,
  gridMoves,
  neighbour,
  readMap,
  rowsText,
  splitParameter,
  withCell,
  writeOnce,
} from '../grid.ts';
import { boardImage } from '../picture/board.ts';
import { distancesFor, open, scripts } from './scripts.ts';

const parameters = {
  agents: parameter.integer({ min: 1, max: 32, default: 4, description: 'number of agents, one per seat' }),
  size: parameter.integer({ min: 3, max: 24, default: 8, description: 'generated: rows and columns' }),
  density: parameter.number({ min: 0, max: 0.5, default: 0.2, description: 'generated: share of cells that are walls' }),
  layout: parameter.string({ default: '', description: 'a custom map, rows of . and # joined by "/", instead of a generated one' }),
  radius: parameter.integer({ min: 1, max: 10, default: 5, description: 'how far an agent sees others, in rows and columns' }),
  sight: parameter.choice({
    options: ['near', 'all', 'way'],
    default: 'near',
    description: 'what agents see: others nearby, all others with their goals, or the planned path and what is next to it',
  }),
  stride: parameter.number({
    min: 0,
    max: 1,
    default: 0,
    description: 'reward for a step toward the goal, and penalty for one away from it',
  }),
  steps: parameter.integer({ min: 1, max: 1000, default: 64, description: 'maximum number of steps' }),
  split: splitParameter,
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/** By agent: its cell, its goal, and the number of steps since it got the goal. */
type State = TaskState<Crowd, Task>;
type Seen = Omit<State, 'misses'>;
type Crowd = {
  readonly cells: string;
  readonly columns: number;
  readonly at: readonly number[];
  readonly goals: readonly number[];
  readonly since: readonly number[];
  readonly left: number;
};

const moves: readonly string[] = [...gridMoves, '[stay]'];
const steps = moves.map((_, move) => ({ ok: true, move }) as const);
const names: readonly Seat[] = Array.from({ length: 32 }, (_, i) => `agent ${i + 1}`);
const asks: readonly Ask[] = names.map((seat) => ({ seat, choices: moves }));
/** Cached: the asks for each number of agents, and the recipient lists for single agents. */
const asksFor = names.map((_, i) => asks.slice(0, i + 1));
const toOne: readonly (readonly Seat[])[] = names.map((name) => [name]);
const isFree = (mark: string) => mark === '.';
const wall = '#'.charCodeAt(0);

export const pathfinding = defineEnvironment({
  id: 'pathfinding@1',
  about: {
    summary:
      'Agents on a grid with walls walk to their goals at the same time, one cell per step. Two agents cannot share a cell or swap places: if two want the same cell, the first one gets it, and a blocked agent stays. Reaching a goal pays 1 and assigns a new one; throughput is goals divided by steps. Each agent knows the map, its own position, and its goal, and sees others only nearby.',
    tasks: [
      {},
      { agents: 2, layout: '...../##.##', steps: 20 },
      { agents: 3, size: 5, sight: 'all', steps: 8 },
      { agents: 3, size: 5, sight: 'way', stride: 0.1, steps: 8 },
    ],
    turns: 64 * 3,
    complete: true,
    words: [...gridDirections, 'stay'],
  },
  parameters,
  task(task) {
    if (task.layout !== '' && largestRoom(readMap('pathfinding', task.layout, '.#')).length <= task.agents)
      throw new Fault(
        'input',
        `pathfinding: a layout must have more connected free cells than the ${task.agents} agents, but got "${task.layout}".`,
      );
    return task;
  },
  seats: ({ agents }) => names.slice(0, agents),

  start(task, rng) {
    const { cells, columns } = mapOf(task, rng);
    const room = largestRoom({ cells, columns, rows: cells.length / columns });
    const at = rng.shuffle(room).slice(0, task.agents);
    const goals = at.map((cell) => newGoal(room, cell, rng));
    const state: Crowd = { cells, columns, at, goals, since: at.map(() => 0), left: task.steps };
    const observation = { ...state, task };
    const messages = at.map((_, i) => viewMessage(observation, i, `${rulesFor(observation, i)}\n`));
    return { state, messages };
  },

  turn: ({ task }) => asksFor[task.agents - 1],
  read: (action) => readStep(action),

  playTogether(state, moves, rng) {
    const { task, cells, columns } = state;
    const all = asksFor[task.agents - 1];
    const wanted = all.map(({ seat }) => moves[seat] ?? 4);
    const map = { cells, columns, rows: cells.length / columns };
    const at = resolve(map, state.at, wanted);
    const arrived = at.map((cell, i) => cell === state.goals[i]);
    const hasArrivals = arrived.includes(true);
    const room = hasArrivals ? largestRoom(map) : [];
    const next: State = {
      ...state,
      at,
      goals: hasArrivals ? state.goals.map((goal, i) => (arrived[i] ? newGoal(room, at[i], rng) : goal)) : state.goals,
      since: state.since.map((steps, i) => (arrived[i] ? 0 : steps + 1)),
      left: state.left - 1,
    };
    const messages = new Array<Message>(all.length);
    let written = 0;
    const rewards: Record<Seat, number> = {};
    for (let i = 0; i < all.length; i++) {
      const { seat } = all[i];
      if (moves[seat] === null) messages[written++] = { to: toOne[i], text: forfeitText(seat) };
      rewards[seat] = (arrived[i] ? 1 : 0) + (task.stride === 0 ? 0 : task.stride * nearer(map, state.goals[i], state.at[i], at[i]));
      messages[written++] = viewMessage(next, i, arrived[i] ? 'You reach your goal and get a new one.\n' : '');
    }
    return { state: next, messages, rewards, over: next.left === 0 };
  },

  knows(state, seat) {
    const i = names.indexOf(seat);
    const { task, cells, left } = state;
    return { cells, left, ...dataOf(state, i), steps: task.steps };
  },
  draw(state, seat) {
    const i = names.indexOf(seat);
    const { at, goal, near, all } = dataOf(state, i) as { at?: number; goal?: number; near?: readonly number[]; all?: readonly number[] };
    if (at === undefined || goal === undefined) return { ...boardImage(rowsText(state.cells, state.columns)), alt: '' };
    let cells = withCell(state.cells, goal, 'G');
    for (const other of near ?? all?.filter((_, j) => j !== i) ?? []) cells = withCell(cells, other, 'A');
    // The text message gives rows and columns, so the image needs no alternative text.
    return { ...boardImage(rowsText(withCell(cells, at, '@'), state.columns)), alt: '' };
  },
  scripts,
});

function readStep(action: Action): { readonly ok: true; readonly move: number } | { readonly ok: false; readonly problem: string } {
  const exact = moves.indexOf(action.text);
  if (exact >= 0) return steps[exact];
  const read = choose(action, moves);
  return read.ok ? steps[moves.indexOf(read.move)] : read;
}

/** Returns everyone's cell after a step. Blocked agents stay, and may block others in turn. */
export function resolve(map: GridMap, at: readonly number[], wanted: readonly number[]): readonly number[] {
  const to = at.slice();
  for (let i = 0; i < at.length; i++) {
    if (wanted[i] === 4) continue;
    const next = neighbour(at[i], wanted[i], map.columns, map.rows);
    if (next >= 0 && map.cells.charCodeAt(next) !== wall) to[i] = next;
  }
  for (let again = true; again; ) {
    again = false;
    for (let i = 0; i < to.length; i++) {
      if (to[i] === at[i] || !isBlocked(i, at, to)) continue;
      // Two agents that would swap both stay: the other finds its cell taken in the next round.
      to[i] = at[i];
      again = true;
    }
  }
  return to;
}

function isBlocked(i: number, at: readonly number[], to: readonly number[]): boolean {
  for (let j = 0; j < to.length; j++) {
    if (j === i) continue;
    if (to[j] === to[i] ? to[j] === at[j] || j < i : to[j] === at[i] && at[j] === to[i]) return true;
  }
  return false;
}

function mapOf(task: Task, rng: Rng): GridMap {
  if (task.layout !== '') return readMap('pathfinding', task.layout, '.#');
  const draw = (): GridMap | null => {
    const cells = Array.from({ length: task.size ** 2 }, () => (rng.next() < task.density ? '#' : '.')).join('');
    const map = { cells, columns: task.size, rows: task.size };
    return largestRoom(map).length > task.agents ? map : null;
  };
  return drawMap('pathfinding', task.split, draw, ({ cells }) => cells);
}

/** Indexed by columns and cells. */
const rooms = new Map<number, Map<string, readonly number[]>>();

/** Returns the largest connected part of a map. */
function largestRoom(map: GridMap): readonly number[] {
  const knownRoom = rooms.get(map.columns) ?? new Map<string, readonly number[]>();
  const before = knownRoom.get(map.cells);
  if (before !== undefined) return before;
  const visited = new Set<number>();
  let best: readonly number[] = [];
  for (let cell = 0; cell < map.cells.length; cell++) {
    if (!isFree(map.cells[cell]) || visited.has(cell)) continue;
    const room = [...distancesTo([cell], map, isFree)].flatMap((steps, other) => (steps >= 0 ? [other] : []));
    for (const other of room) visited.add(other);
    if (room.length > best.length) best = room;
  }
  if (knownRoom.size > 2000) knownRoom.clear();
  knownRoom.set(map.cells, best);
  rooms.set(map.columns, knownRoom);
  return best;
}

function newGoal(room: readonly number[], at: number, rng: Rng): number {
  const goal = room[rng.int(room.length - 1)];
  return goal === at ? (room.at(-1) as number) : goal;
}

/** Returns an agent's view as data: itself and others within its radius, or everyone. */
function dataOf(state: Seen, i: number): JsonObject {
  const { task, at, goals, since } = state;
  if (task.sight === 'way') return aheadOf(state, i);
  if (task.sight === 'all') return { own: i, at: at[i], goal: goals[i], all: at, goals, since };
  return { own: i, at: at[i], goal: goals[i], near: nearTo(state, i) };
}

/** Returns how many steps nearer to the goal the second cell is than the first. */
function nearer(map: GridMap, goal: number, from: number, to: number): number {
  const away = distancesFor(map, goal);
  return away[from] - away[to];
}

/**
 * Returns an agent's planned path as the direction of its next step, the content of the four neighboring cells, and whether another agent
 * can make that step too.
 */
function aheadOf({ cells, columns, at, goals }: Seen, i: number): JsonObject {
  const map = { cells, columns, rows: cells.length / columns };
  const away = distancesFor(map, goals[i]);
  const around = [0, 1, 2, 3].map((direction) => open(map, at[i], direction));
  const way = around.findIndex((cell) => cell >= 0 && away[cell] < away[at[i]]);
  const rivals = [0, 1, 2, 3].map((direction) => open(map, around[way] ?? -1, direction)).filter((cell) => cell !== at[i]);
  return {
    way,
    around: around.map((cell) => (cell < 0 ? 'wall' : at.includes(cell) ? 'agent' : 'free')),
    contested: at.some((cell) => rivals.includes(cell)),
  };
}

/** A reused buffer for the cells near the current agent: exact-length lists take a fifth of the memory of growing ones. */
const match = new Int32Array(names.length);

/** Returns the other agents within an agent's radius, in cell order. */
function nearTo({ task: { radius }, columns, at }: Seen, i: number): readonly number[] {
  const ownCell = at[i];
  const column = ownCell % columns;
  const row = (ownCell - column) / columns;
  let count = 0;
  for (let j = 0; j < at.length; j++) {
    const cell = at[j];
    const aside = cell % columns;
    if (j === i || Math.abs(aside - column) > radius || Math.abs((cell - aside) / columns - row) > radius) continue;
    // Insertion sort, because the lists are short.
    let k = count++;
    for (; k > 0 && match[k - 1] > cell; k--) match[k] = match[k - 1];
    match[k] = cell;
  }
  const near = new Array<number>(count);
  for (let k = 0; k < count; k++) near[k] = match[k];
  return near;
}

/** Builds a message from a few cached parts, so that a log of many steps stores each part once. */
function viewMessage(state: Seen, i: number, first: string): Message {
  const data = dataOf(state, i);
  if (state.task.sight === 'way') return { to: toOne[i], text: first + wayText(data), data };
  const texts = textsFor(state.columns);
  const seesAll = state.task.sight === 'all';
  const others = seesAll ? state.at : (data['near'] as readonly number[]);
  let visitedText = '';
  for (let j = 0; j < others.length; j++) {
    if (seesAll && j === i) continue;
    visitedText += (visitedText === '' ? texts.firstSeen : texts.nextSeen)(others[j]);
  }
  let text =
    first + texts.placed(state.at[i]) + texts.wanted(state.goals[i]) + (visitedText === '' ? 'You see no other agent' : visitedText);
  if (!seesAll) return { to: toOne[i], text: text + stepsLeft(state.left), data };
  text += `. Goals of agents 1, 2 …: ${state.goals.map(texts.place).join('; ')}; got ${state.since.join(', ')} steps ago`;
  return { to: toOne[i], text: text + stepsLeft(state.left), data };
}

function wayText(data: JsonObject): string {
  const { way, around, contested } = data as { way: number; around: readonly string[]; contested: boolean };
  const rival = contested ? ' Another agent can step there, too.' : '';
  return `Your way goes ${gridDirections[way] ?? 'nowhere'}.${rival} ${around.map((what, direction) => `${gridDirections[direction]}: ${what}`).join('; ')}.`;
}

const stepsLeft = writeOnce((left) => `. Steps left: ${left}.`);

type TextsOfCells = Readonly<Record<'place' | 'placed' | 'wanted' | 'firstSeen' | 'nextSeen', (cell: number) => string>>;

const textsByColumns: TextsOfCells[] = [];

/** Returns cached texts for maps of this width. */
function textsFor(columns: number): TextsOfCells {
  const textsByColumn = textsByColumns[columns];
  if (textsByColumn !== undefined) return textsByColumn;
  const place = writeOnce((cell) => `row ${Math.floor(cell / columns)}, column ${cell % columns}`);
  const texts = {
    place,
    placed: writeOnce((cell) => `You are at ${place(cell)}; your goal is `),
    wanted: writeOnce((cell) => `${place(cell)}. `),
    firstSeen: writeOnce((cell) => `You see others at ${place(cell)}`),
    nextSeen: writeOnce((cell) => `; ${place(cell)}`),
  };
  textsByColumns[columns] = texts;
  return texts;
}

function rulesFor({ task, cells, columns }: Seen, i: number): string {
  return `You are ${names[i]} of ${task.agents} on this map; # is a wall, rows and columns count from 0 at the top left.\n${rowsText(cells, columns)}\nEach step everybody moves at once. Where two want one cell the first in order gets it; two cannot change places; whoever is blocked stays. Reaching your goal pays 1, and you get a new one.\nAnswer with exactly one of ${moves.join(' ')}.`;
}
