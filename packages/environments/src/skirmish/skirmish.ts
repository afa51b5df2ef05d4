/** @file Skirmish: a commander gives orders to units on a grid, to reach a beacon, collect shards, or defeat the other side. */

import type { Action, Ask, Message, ParsedMove, Rng, Seat, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, forfeitText, parameter, parseBracketed, retries } from '@ludus-agents/kernel/internal/core/index';
import { blankRows, gridDirections, placeInRows, writeOnce } from '../grid.ts';
import { boardImage } from '../picture/board.ts';
import { attacks, damage, fullHp, layersOf, moves, readOrders, sizeOf, type Unit, type UnitOrder } from './rules.ts';
import { scripts } from './scripts.ts';

const games = ['beacon', 'collect', 'defeat'] as const;

const parameters = {
  game: parameter.choice({
    options: games,
    default: 'defeat',
    description: 'walk to a beacon that moves on, collect shards, or defeat the rival’s units',
  }),
  size: parameter.integer({ min: 3, max: 32, default: 8, description: 'rows and columns' }),
  units: parameter.integer({
    min: 0,
    max: 9,
    default: 0,
    description: 'number of the player’s units; 0 means 1 for the beacon, 2 to collect, 3 to defeat',
  }),
  enemies: parameter.integer({ min: 1, max: 9, default: 3, description: 'defeat: units of the rival' }),
  shards: parameter.integer({
    min: 1,
    max: 20,
    default: 20,
    description: 'collect: number of shards, placed again when all have been collected',
  }),
  range: parameter.integer({ min: 1, max: 64, default: 3, description: 'how far an attack reaches, in steps' }),
  steps: parameter.integer({ min: 1, max: 1000, default: 60, description: 'maximum number of steps' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type State = TaskState<Field, Task>;
type Seen = Omit<State, 'misses'>;
type Field = {
  readonly units: readonly Unit[];
  /** The cells of the beacon or the shards. */
  readonly marks: readonly number[];
  readonly left: number;
};

type Layers = readonly (readonly number[])[];

const sides: readonly Seat[] = ['commander', 'rival'];
const toOne: readonly (readonly Seat[])[] = sides.map((seat) => [seat]);

export const skirmish = defineEnvironment({
  id: 'skirmish@1',
  about: {
    summary:
      'A commander moves units on a grid, all at the same time. In "beacon", each arrival pays 1 and the beacon moves on, on average 2n/3 steps away on an n × n board. Shards pay 1 each. In the battle, damage, defeated units (10 each), and victory (200) pay, scaled so that the fastest possible victory is worth 20. The board is shown as text, as a list of units, and as layers of type, owner, and strength.',
    tasks: [
      { steps: 30 },
      { game: 'beacon', steps: 20 },
      { game: 'collect', size: 5, shards: 4, steps: 20 },
      { units: 2, enemies: 1, range: 9, steps: 12 },
    ],
    turns: 60 * 3,
    words: [...gridDirections],
  },
  parameters,
  seats: seatsOf,

  start(task, rng) {
    const unitCount = ownUnits(task);
    const foes = task.game === 'defeat' ? task.enemies : 0;
    const cells = task.size ** 2;
    const units: readonly Unit[] = [
      ...line(unitCount, cells).map((at) => ({ side: 0, at, hp: fullHp })),
      ...line(foes, cells).map((at) => ({ side: 1, at: cells - 1 - at, hp: fullHp })),
    ];
    const bare: Field = { units, marks: [], left: task.steps };
    const state = { ...bare, marks: layMarks(task, units, rng) };
    return { state, messages: seatsOf(task).map((seat, i) => viewMessage({ ...state, task }, i, `${rulesFor(task, seat)}\n`)) };
  },

  turn: asksOf,
  read: (action, state, ask) => readAnswer(action, ask, state),

  playTogether(state, input, rng) {
    const { task } = state;
    const asks = asksOf(state);
    const orders: (readonly UnitOrder[])[] = [];
    for (let i = 0; i < asks.length; i++) orders.push(input[asks[i].seat] ?? []);
    const fought = attacks(state.units, orders, task.size, task.range);
    const units = moves(fought.units, orders, task.size);
    const left = state.left - 1;
    const marks = state.marks.length === 0 ? state.marks : state.marks.filter((cell) => units.every((unit) => unit.at !== cell));
    const reached = state.marks.length - marks.length;
    const next: State = { ...state, units, marks: marks.length === 0 && reached > 0 ? layMarks(task, units, rng) : marks, left };
    const standing = [isStanding(units, 0), isStanding(units, 1)];
    const defeated = task.game === 'defeat' && !(standing[0] && standing[1]);
    const ending = !defeated ? '' : standing[0] ? 'The commander has won.\n' : standing[1] ? 'The rival has won.\n' : 'Nobody is left.\n';
    const visible = sightOf(next);
    const rewards: Record<Seat, number> = {};
    const messages: Message[] = [];
    for (let i = 0; i < asks.length; i++) {
      const { seat } = asks[i];
      const points = fought.done[i] + 10 * fought.kills[i] + (defeated && standing[i] ? 200 : 0);
      rewards[seat] = task.game === 'defeat' ? rewardFor(task, i, points) : reached;
      if (input[seat] === null) messages.push({ to: toOne[i], text: forfeitText(seat) });
      messages.push(viewMessage(next, i, ending, visible));
    }
    return { state: next, messages, rewards, over: defeated || left === 0 };
  },

  knows: ({ task, units, marks, left }) => ({ size: task.size, units, marks, left }),
  draw: ({ units, marks, task }) => boardImage(boardRows(units, marks, task.size)),
  scripts: { ...scripts, rival: scripts['focus'] },
});

function seatsOf({ game }: Task): readonly Seat[] {
  return game === 'defeat' ? sides : sides.slice(0, 1);
}

const ownUnits = ({ units, game, size }: Task) => Math.min(size, units > 0 ? units : { beacon: 1, collect: 2, defeat: 3 }[game]);

/** Returns one cell per unit in the first row, wrapping to further rows on a small board. */
const line = (count: number, cells: number) => Array.from({ length: Math.min(count, Math.floor(cells / 2)) }, (_, i) => i);

/** The other side is worth at most 20 points. */
function rewardFor({ enemies, units, size, game }: Task, side: number, points: number): number {
  const foes = side === 0 ? Math.min(enemies, Math.floor(size ** 2 / 2)) : ownUnits({ units, size, game } as Task);
  return points / ((10 * foes + 200 + fullHp * foes) / 20);
}

/** Places new marks on cells without units. A beacon is uniform over the free cells. */
function layMarks(task: Task, units: readonly Unit[], rng: Rng): readonly number[] {
  if (task.game === 'defeat') return [];
  const free: number[] = [];
  for (let cell = 0; cell < task.size ** 2; cell++) if (units.every((unit) => unit.at !== cell)) free.push(cell);
  if (task.game === 'beacon') return [rng.pick(free)];
  return rng
    .shuffle(free)
    .slice(0, task.shards)
    .sort((a, b) => a - b);
}

function isStanding(units: readonly Unit[], side: number): boolean {
  for (let i = 0; i < units.length; i++) if (units[i].side === side && units[i].hp > 0) return true;
  return false;
}

/** Cached asks, by game and number of units on each side. */
const knownAsks: (readonly Ask[])[] = [];

function asksOf({ task, units }: State): readonly Ask[] {
  const counts = [sizeOf(units, 0), sizeOf(units, 1)];
  const key = (games.indexOf(task.game) * 10 + counts[0]) * 10 + counts[1];
  knownAsks[key] ??= sides.slice(0, task.game === 'defeat' ? 2 : 1).map((seat, side): Ask => {
    const targets = Array.from({ length: counts[1 - side] }, (_, i) => `[all attack ${i + 1}]`);
    return { seat, choices: [...gridDirections.map((direction) => `[all ${direction}]`), '[all stop]', ...targets] };
  });
  return knownAsks[key];
}

/** Cached orders, by number of own units and enemies, then by text, because the same few orders recur. */
const knownOrders: Map<string, ParsedMove<readonly UnitOrder[]>>[] = [];
const mostKnown = 2000;

function readAnswer(action: Action, { seat }: Ask, { units }: State): ParsedMove<readonly UnitOrder[]> {
  const side = sides.indexOf(seat);
  const [ownCount, enemies] = [sizeOf(units, side), sizeOf(units, 1 - side)];
  knownOrders[ownCount * 10 + enemies] ??= new Map();
  const knownOrder = knownOrders[ownCount * 10 + enemies];
  const before = knownOrder.get(action.text);
  if (before !== undefined) return before;
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const orders = readOrders(read.move, ownCount, enemies);
  if (orders === null)
    return { ok: false, problem: `[${read.move.slice(0, 60)}] is no order; write like [all left] or [1 up; 2 attack 1].` };
  const answer = { ok: true, move: orders } as const;
  if (knownOrder.size >= mostKnown) knownOrder.clear();
  if (action.text.length < 200) knownOrder.set(action.text, answer);
  return answer;
}

function rulesFor({ game, size, range, steps }: Task, seat: Seat): string {
  const aim = {
    beacon: 'Walk onto the beacon (*): that pays 1, and it moves on.',
    collect: 'Walk onto the shards (*): each pays 1; when all are taken they are laid out anew.',
    defeat: `Defeat the other side: an attack on a unit within ${range} steps takes ${damage} of its ${fullHp} points of strength. Damage, defeated units and the victory are paid.`,
  }[game];
  return `You are the ${seat} on a board of ${size} by ${size}; rows and columns count from 0 at the top left; a to i are units 1 to 9 of the commander, A to I those of the rival. ${aim}\nAll units act at once: first all attacks, then the moves. ${steps} steps in all.\nAnswer with one order for all units, such as [all left], or with orders by unit, such as [1 left; 2 stop${game === 'defeat' ? '; 3 attack 1' : ''}]: left, down, right, up, stop${game === 'defeat' ? ', attack N' : ''}.`;
}

/** Reused empty boards by size; they are cleared after each use. */
const boards: number[][] = [];
const [dot, star] = [0x2e, 0x2a];

/** Draws the board in rows: units as letters, marks as stars. */
function boardRows(units: readonly Unit[], marks: readonly number[], size: number): string {
  boards[size] ??= blankRows(size, size);
  const codes = boards[size];
  for (let i = 0; i < marks.length; i++) codes[placeInRows(marks[i], size)] = star;
  let [ownLetter, other] = [0x61, 0x41];
  for (let i = 0; i < units.length; i++) {
    const { side, at, hp } = units[i];
    const letter = side === 0 ? ownLetter++ : other++;
    if (hp > 0) codes[placeInRows(at, size)] = letter;
  }
  const text = String.fromCharCode.apply(null, codes);
  for (let i = 0; i < marks.length; i++) codes[placeInRows(marks[i], size)] = dot;
  for (let i = 0; i < units.length; i++) codes[placeInRows(units[i].at, size)] = dot;
  return text;
}

/** Draws the board without line breaks. */
export function boardOf(units: readonly Unit[], marks: readonly number[], size: number): string {
  return boardRows(units, marks, size).replaceAll('\n', '');
}

/** Returns what both sides share: the layers, and the board in rows. */
function sightOf({ task, units, marks }: Seen): { readonly layers: Layers; readonly board: string } {
  const layers = layersOf(units, marks, task.game === 'beacon' ? 2 : 3, task.size);
  return { layers, board: boardRows(units, marks, task.size) };
}

const stepsToGo = writeOnce((left) => `\nSteps to go: ${left}.`);

function viewMessage(state: Seen, ownSide: number, first: string, { layers, board } = sightOf(state)): Message {
  const { task, units, marks, left } = state;
  const { size, range, game } = task;
  let text = first + board;
  if (game === 'defeat') text += strengthText(units, 0, ownSide) + strengthText(units, 1, ownSide);
  return { to: toOne[ownSide], text: text + stepsToGo(left), data: { own: ownSide, size, range, units, marks, layers } };
}

/** Cached texts by side, and by the strengths of at most nine units encoded as one number. */
const strengths: Map<number, string>[] = [new Map(), new Map()];

function strengthText(units: readonly Unit[], side: number, ownSide: number): string {
  let key = 0;
  for (let i = 0; i < units.length; i++) if (units[i].side === side) key = key * (fullHp + 2) + units[i].hp + 1;
  const strength = strengths[side === ownSide ? 0 : 1];
  const before = strength.get(key);
  if (before !== undefined) return before;
  let text = `\n${side === ownSide ? 'Your' : 'Their'} units’ strength:`;
  for (const unit of units) if (unit.side === side) text += ` ${unit.hp}`;
  text += '.';
  if (strength.size >= mostKnown) strength.clear();
  strength.set(key, text);
  return text;
}
