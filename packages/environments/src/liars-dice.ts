/** @file Liar's dice for two to six seats: hidden dice, rising bids, and a challenge. Solved exactly for two seats with one die each. */

import type { Environment, Message, MoveOutcome, Rng, Seat, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { equilibrium, odds } from './liars-dice.scripts.ts';
import { gameTree } from './solve/tree.ts';

const parameters = {
  seats: parameter.integer({ min: 2, max: 6, default: 2, description: 'number of players' }),
  dice: parameter.integer({ min: 1, max: 5, default: 1, description: 'dice of each player at the start' }),
  faces: parameter.integer({ min: 2, max: 6, default: 6, description: 'faces of a die' }),
  wild: parameter.boolean({ default: true, description: 'the highest face counts as every face' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type State = TaskState<Table, Task>;
type Table = {
  /** The dice of each seat, lowest first. */
  readonly dice: readonly (readonly number[])[];
  /** The bids of this round, numbered in ascending order: quantity before face. */
  readonly bids: readonly number[];
  readonly turn: number;
  readonly bidder: number;
  /** Seats without dice, first out first. */
  readonly out: readonly number[];
  readonly round: number;
  /** How the previous round ended. */
  readonly past: string;
};

const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'] as const;
const tables: readonly (readonly Seat[])[] = names.map((_, i) => names.slice(0, i + 1));
const liar = '[liar]';

export const liarsDice: Environment<State, Task> = defineEnvironment({
  id: 'liars-dice@1',
  about: {
    summary:
      'Everyone rolls in secret, then players take turns to raise a bid on the number of dice that show a face, or to call it a lie. The player who is wrong loses a die, and the last one with dice wins. Rewards depend on the place, in equal steps from 1 for the winner to −1. Two seats with one die each play a single round for ±1, worth about −0.0271 to the seat that starts.',
    tasks: [{}, { faces: 3 }, { seats: 3, dice: 2, faces: 4, wild: false }],
    // Losing a die takes at most every bid and one challenge. Each move may take three attempts.
    turns: 3 * (25 + 21 + 17 + 13 + 9),
    sum: 0,
    complete: true,
    words: ['bid', 'liar'],
  },
  parameters,
  seats: tableOf,

  start(task, rng) {
    const dice = tableOf(task).map(() => new Array<number>(task.dice).fill(0));
    return roll({ dice, bids: [], turn: 0, bidder: 0, out: [], round: 0, past: '' }, task, rulesOf(task), rng);
  },

  turn(state) {
    const last = state.bids.at(-1);
    const bids = bidsOf(state);
    return { seat: names[state.turn], choices: last === undefined ? bids : [liar, ...bids.slice(last + 1)] };
  },

  play(state, move, { seat, rng }) {
    if (move === liar) return challenge(state, rng);
    const bid = bidsOf(state).indexOf(move);
    const next: State = { ...state, bids: [...state.bids, bid], bidder: state.turn, turn: seatAfter(state, state.turn) };
    return { state: next, messages: `${seat} bids ${bidText(bid, state.task)}.` };
  },

  forfeit: (state, _, text, rng) => loseDie(state, state.turn, text, rng),

  knows({ dice, bids, turn, out, round, past }, seat) {
    const mine = dice[names.indexOf(seat as (typeof names)[number])];
    return { mine, held: dice.map((subset) => subset.length), bids, turn, out, round, past };
  },

  scripts: { cfr: equilibrium((task) => gameTree(liarsDice, task)), odds },
});

function tableOf(task: Task): readonly Seat[] {
  return tables[task.seats - 1];
}

/** Cached rules by task, because an episode is short and its rules are long. */
const written = new Map<string, readonly Message[]>();

function rulesOf(task: Task): readonly Message[] {
  const key = Object.values(task).join(' ');
  let rules = written.get(key);
  if (rules === undefined) {
    rules = tableOf(task).map((seat) => ({ to: [seat], text: rulesFor(seat, task) }));
    written.set(key, rules);
  }
  return rules;
}

function rulesFor(seat: Seat, { seats, dice, faces, wild }: Task): string {
  return [
    `You are ${seat} of ${seats} at liar's dice. Everyone holds ${dice === 1 ? 'one die' : `${dice} dice`} with faces 1 to ${faces} and rolls in secret.`,
    'In turn, bid how many dice of one face lie on the whole table: [bid 2 3] says at least two of face 3. Every bid has more dice than the last, or as many of a higher face, and never more than lie on the table. Or answer [liar] to the last bid.',
    wild ? `Face ${faces} is wild: it counts as every face.` : 'No face is wild.',
    'If the bid is met, whoever called it a lie loses a die, otherwise the bidder does, and all roll again. A seat without dice is out; the last seat with dice wins.',
    'Answer with exactly one move in square brackets.',
  ].join('\n');
}

/** Rolls the remaining dice of every seat. */
function roll(state: Table, { faces }: Task, before: readonly Message[], rng: Rng): MoveOutcome<Table> {
  const dice = state.dice.map((subset) => subset.map(() => 1 + rng.int(faces)).sort((a, b) => a - b));
  const next: Table = { ...state, dice, bids: [], round: state.round + 1 };
  const currentText = dice.map((subset, i) => `${names[i]} ${subset.length}`).join(', ');
  const messages = [...before];
  for (const [i, subset] of dice.entries()) {
    const yours = subset.length === 0 ? 'you are out' : `you roll ${subset.join(' ')}`;
    messages.push({
      to: [names[i]],
      text: `Round ${next.round}: ${yours}. Dice on the table: ${currentText}. ${names[next.turn]} begins.`,
    });
  }
  return { state: next, messages };
}

function challenge(state: State, rng: Rng): MoveOutcome<Table> {
  const { task, dice, bids, bidder, turn } = state;
  const bid = bids.at(-1) as number;
  const face = 1 + (bid % task.faces);
  let count = 0;
  for (const subset of dice) for (const die of subset) if (die === face || (task.wild && die === task.faces)) count++;
  const loser = count > Math.floor(bid / task.faces) ? turn : bidder;
  const table = dice.flatMap((subset, i) => (subset.length === 0 ? [] : [`${names[i]} ${subset.join(' ')}`])).join(', ');
  const text = `${names[turn]} calls it a lie that there are ${bidText(bid, task)}. On the table: ${table}. That makes ${count}.`;
  return loseDie(state, loser, text, rng);
}

function loseDie(state: State, loser: number, why: string, rng: Rng): MoveOutcome<Table> {
  const seats = tableOf(state.task);
  const dice = state.dice.with(loser, state.dice[loser].slice(1));
  const gone = dice[loser]?.length === 0;
  const past = `${why} ${names[loser]} loses a die${gone ? ' and is out' : ''}.`;
  const next: State = { ...state, dice, past, out: gone ? [...state.out, loser] : state.out };
  const turn = gone ? seatAfter(next, loser) : loser;
  const message: Message = { to: seats, text: past };
  if (next.out.length < seats.length - 1) return roll({ ...next, turn }, state.task, [message], rng);
  const rewards: Record<Seat, number> = {};
  for (const [i, seat] of [...next.out, turn].entries()) rewards[names[seat]] = (2 * i) / (seats.length - 1) - 1;
  return { state: next, messages: [message, { to: seats, text: `${names[turn]} wins.` }], rewards, over: true };
}

/** Returns the next seat that still has dice. */
function seatAfter({ dice }: Table, seat: number): number {
  let next = (seat + 1) % dice.length;
  while (dice[next]?.length === 0) next = (next + 1) % dice.length;
  return next;
}

function bidText(bid: number, { faces }: Task): string {
  return `${1 + Math.floor(bid / faces)} of face ${1 + (bid % faces)}`;
}

/** Cached lists of every possible bid, lowest first, by number of dice and faces. */
const bidLists = new Map<number, readonly string[]>();

function bidsOf({ dice, task }: State): readonly string[] {
  let total = 0;
  for (const subset of dice) total += subset.length;
  const key = total * 10 + task.faces;
  let bids = bidLists.get(key);
  if (bids === undefined) {
    bids = Array.from({ length: total * task.faces }, (_, i) => `[bid ${1 + Math.floor(i / task.faces)} ${1 + (i % task.faces)}]`);
    bidLists.set(key, bids);
  }
  return bids;
}
