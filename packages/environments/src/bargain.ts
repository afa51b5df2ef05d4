/**
 * @file Bargaining with private values: two sides split a pool of items, or haggle over a price. Talk is free, and without an agreement
 * both earn nothing.
 *
 * Every turn is an offer until one side accepts or walks away; on the last turn, no offer is possible. So T turns contain T − 1 offers, and
 * with a discount the game is the alternating-offers game of bargaining theory.
 */

import type {
  Action,
  Ask,
  Json,
  JsonObject,
  Message,
  MoveOutcome,
  ParsedMove,
  Rng,
  Seat,
  TaskOf,
  TaskState,
} from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter, parseBracketed, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { outcomeOf, payoffsOf, pools, splitsOf } from './bargain.pools.ts';
import { scripts } from './bargain.scripts.ts';
import { ordinals, talkOf } from './together.ts';

export { bestProductOf, bestSumOf, frontierOf, outcomeOf, type Payoffs, type Pool, payoffsOf, pools, splitsOf } from './bargain.pools.ts';
export { perfectShare } from './bargain.scripts.ts';

const parameters = {
  mode: parameter.choice({ options: ['split', 'haggle'], default: 'split', description: 'share out a pool of items, or agree on a price' }),
  turns: parameter.integer({
    min: 2,
    max: 50,
    default: 10,
    description: 'maximum number of turns; the last one allows only [accept] and [walk]',
  }),
  discount: parameter.number({
    min: 0,
    max: 1,
    default: 1,
    description: 'factor that the value of an agreement is multiplied by for each offer after the first',
  }),
  secret: parameter.boolean({ default: true, description: "each side knows only its own values; otherwise it also knows the other's" }),
  top: parameter.integer({ min: 1, max: 1000, default: 100, description: 'haggle: the highest price that can be offered' }),
  given: parameter.json({
    default: null,
    description:
      'the values, instead of drawn ones: {"counts", "first", "second"}, three numbers each, or {"cost", "value"} to haggle over',
  }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type State = TaskState<Bargaining, Task>;
type Bargaining = {
  /** The number of each kind of item; empty when haggling. */
  readonly counts: readonly number[];
  /** Each side's private values: one item of each kind, or the seller's cost and the buyer's value. */
  readonly own: readonly (readonly number[])[];
  /** The current offer: what the first side would keep, or the price. */
  readonly offer: readonly number[] | null;
  /** Move and talk of every turn so far. */
  readonly past: readonly (readonly [Move, string])[];
};

/** An offer from the first side's view, or an action that ends the bargaining. */
type Move = readonly number[] | 'accept' | 'walk';

const sides: Readonly<Record<Task['mode'], readonly Seat[]>> = { split: ordinals.slice(0, 2), haggle: ['seller', 'buyer'] };
const kinds = ['tents', 'lamps', 'ropes'] as const;

export const bargain = defineEnvironment({
  id: 'bargain@1',
  about: {
    summary:
      'Two sides bargain over items, or over a price, and each knows only its own values. They split five to seven items of three kinds, or a seller and a buyer haggle. Every offer can come with a message. An agreement pays each side its own value of the deal; no agreement pays nothing. Good bargaining finds trades that help both sides.',
    tasks: [{}, { turns: 6, discount: 0.9 }, { mode: 'haggle' }, { mode: 'haggle', secret: false, discount: 0.9, turns: 11 }],
    turns: 11 * 11,
    words: ['offer', 'accept', 'walk', 'price', ...kinds],
  },
  parameters,
  task(task) {
    if (task.given !== null && !fitting(task))
      throw new Fault('input', `bargain: "given" must be ${wanted[task.mode]}, but got ${JSON.stringify(task.given)}.`);
    return task;
  },
  seats: (task) => sides[task.mode],

  start(task, rng) {
    const values = task.mode === 'split' ? drawPool(task, rng) : drawLimits(task, rng);
    const state: Bargaining = { ...values, offer: null, past: [] };
    return { state, messages: sides[task.mode].map((_, i) => briefing({ ...state, task }, i)) };
  },

  turn: askOf,
  read: (action, state) => readMove(state, action),

  play(state, move, { seat, action }) {
    const both = sides[state.task.mode];
    const talk = talkOf(action.text.replace(linear(/\[[^\]]*\]/), ' '));
    const messages: Message[] = talk === '' ? [] : [{ to: both.filter((other) => other !== seat), text: talk, from: seat }];
    const next: State = { ...state, past: [...state.past, [move, talk]] };
    if (move === 'walk') {
      messages.push({ to: both, text: `${seat} walks away: there is no agreement.` });
      return close(next, messages, null);
    }
    if (move === 'accept') {
      messages.push({ to: both, text: `${seat} accepts: there is an agreement.` });
      return close(next, messages, state.offer);
    }
    const standing: State = { ...next, offer: move };
    messages.push({ to: both, text: offerText(standing), data: { offer: move } });
    return { state: standing, messages };
  },

  forfeit: (state, _, text) => close(state, [{ to: sides[state.task.mode], text }], null),

  knows(state, seat) {
    const { task, counts, own, past } = state;
    const mine = sides[task.mode].indexOf(seat);
    return { counts, own: task.secret ? own[mine] : own, past };
  },

  scripts,
});

const wanted = {
  split: 'like {"counts": [1, 4, 1], "first": [4, 1, 2], "second": [2, 2, 0]}, with counts from 1 to 5 and values from 0 to 10',
  haggle: 'like {"cost": 20, "value": 60}, with both from 0 to the highest price',
} as const;

function fitting({ mode, given, top }: Task): boolean {
  const fields = given as JsonObject;
  const triple = (list: Json | undefined, from: number, to: number) =>
    Array.isArray(list) && list.length === 3 && list.every((n) => Number.isInteger(n) && n >= from && n <= to);
  if (mode === 'split') return triple(fields['counts'], 1, 5) && triple(fields['first'], 0, 10) && triple(fields['second'], 0, 10);
  return [fields['cost'], fields['value']].every((limit) => typeof limit === 'number' && limit >= 0 && limit <= top);
}

function drawPool(task: Task, rng: Rng): Pick<State, 'counts' | 'own'> {
  const pool = task.given === null ? rng.pick(pools()) : (task.given as ReturnType<typeof pools>[number]);
  return { counts: pool.counts, own: [pool.first, pool.second] };
}

/** Draws a cost in the lower three fifths and a value in the upper three fifths, so that most pairs can trade and some should not. */
function drawLimits(task: Task, rng: Rng): Pick<State, 'counts' | 'own'> {
  if (task.given !== null) {
    const { cost, value } = task.given as { cost: number; value: number };
    return { counts: [], own: [[cost], [value]] };
  }
  const span = Math.floor(task.top * 0.6);
  return { counts: [], own: [[rng.int(span + 1)], [task.top - rng.int(span + 1)]] };
}

/** Returns what both sides would gain from an offer, without any discount. */
function gainsOf({ task, counts, own }: State, offer: readonly number[]): readonly [number, number] {
  const [first, second] = own as [readonly number[], readonly number[]];
  if (task.mode === 'split') return payoffsOf({ counts, first, second }, offer);
  const price = offer[0];
  return [price - first[0], second[0] - price];
}

/** Ends the episode with or without an agreement, and leaves a note on its quality for both sides. */
function close(state: State, messages: readonly Message[], agreed: readonly number[] | null): MoveOutcome<State> {
  const { task, counts, own, past } = state;
  const [a, b] = sides[task.mode] as [Seat, Seat];
  const gains = agreed === null ? ([0, 0] as const) : gainsOf(state, agreed);
  // The accepting turn is not an offer, so accepting the first offer is not discounted.
  const worth = agreed === null ? 1 : task.discount ** (past.length - 2);
  const rewards = { [a]: gains[0] * worth, [b]: gains[1] * worth };
  const [first, second] = own as [readonly number[], readonly number[]];
  const outcome =
    task.mode === 'split'
      ? outcomeOf({ counts, first, second }, gains)
      : { joint: gains[0] + gains[1], bestJoint: Math.max(0, second[0] - first[0]) };
  const note: Message = { to: [], text: 'outcome', data: { outcome: { agreed: agreed !== null, ...outcome } } };
  return { state, messages: [...messages, note], over: true, rewards };
}

function briefing({ task, counts, own }: Bargaining & { readonly task: Task }, i: number): Message {
  const seats = sides[task.mode];
  const mine = own[i];
  const theirs = own[1 - i];
  const worth = (values: readonly number[]) => kinds.map((kind, k) => `${kind} ${values[k]}`).join(', ');
  const limit = (side: number) => (side === 0 ? `the cost is ${own[0]?.[0]}` : `the value is ${own[1]?.[0]}`);
  const lines =
    task.mode === 'split'
      ? [
          `You are ${seats[i]} and share out with ${seats[1 - i]}: ${kinds.map((kind, k) => `${counts[k]} ${kind}`).join(', ')}.`,
          `To you one of each is worth: ${worth(mine)}. ${task.secret ? 'Its worth to the other is the other’s secret.' : `To the other: ${worth(theirs)}.`}`,
          'Answer [offer a,b,c] to say how many of each you would keep, [accept] the other’s last offer, or [walk] away.',
        ]
      : [
          `You are the ${seats[i]} of one thing. ${i === 0 ? 'You earn the price less your cost' : 'You earn your value less the price'}: ${limit(i)}.`,
          task.secret ? 'The other’s limit is the other’s secret.' : `For the other, ${limit(1 - i)}.`,
          `Answer [price p] to name a price from 0 to ${task.top}, [accept] the other’s last price, or [walk] away.`,
        ];
  lines.push(
    `${seats[0]} begins. There are ${task.turns} turns; on the last one only [accept] and [walk] are left. No agreement pays nothing.`,
    ...(task.discount < 1 ? [`With every offer after the first, an agreement is worth ${task.discount} times what it was.`] : []),
    'What you write outside the brackets is heard by the other. Write exactly one move in square brackets.',
  );
  return { to: [seats[i]], text: lines.join('\n'), data: { counts, own: task.secret ? mine : own } };
}

function offerText({ task, counts, offer, past }: State): string {
  const [proposer, other] = past.length % 2 === 1 ? sides[task.mode] : [...sides[task.mode]].reverse();
  const retained = offer as readonly number[];
  if (task.mode === 'haggle') return `${proposer} names the price ${retained[0]}.`;
  const forFirst = kinds.map((kind, k) => `${retained[k]} ${kind}`).join(', ');
  const forSecond = kinds.map((kind, k) => `${counts[k] - retained[k]} ${kind}`).join(', ');
  return `${proposer} offers: ${proposer} keeps ${past.length % 2 === 1 ? forFirst : forSecond}; ${other} gets ${past.length % 2 === 1 ? forSecond : forFirst}.`;
}

const closing = ['[accept]', '[walk]'] as const;
const menus = new Map<
  readonly (readonly number[])[] | number,
  { readonly opening: readonly string[]; readonly later: readonly string[] }
>();

/** Returns all possible offers as text, followed by the moves that end the game. Cached, because thousands of episodes share few menus. */
function menuOf({ task, counts, offer }: State): readonly string[] {
  const key = task.mode === 'split' ? splitsOf(counts) : task.top;
  let menu = menus.get(key);
  if (menu === undefined) {
    const offers =
      typeof key === 'number' ? Array.from({ length: key + 1 }, (_, p) => `[price ${p}]`) : key.map((retained) => `[offer ${retained}]`);
    menu = { opening: [...offers, '[walk]'], later: [...offers, ...closing] };
    menus.set(key, menu);
  }
  return offer === null ? menu.opening : menu.later;
}

/** Builds an ask with everything that a program needs, so that scripts play the same with any window. */
function askOf(state: State): Ask {
  const { task, counts, own, offer, past } = state;
  const { turns, discount, top } = task;
  const [side, now] = [past.length % 2, past.length];
  const data = { side, counts, own: task.secret ? own[side] : own, turns, discount, top, now, offer };
  return { seat: sides[task.mode][side], choices: now === turns - 1 ? closing : menuOf(state), data };
}

function readMove(state: State, action: Action): ParsedMove<Move> {
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const text = read.move.toLowerCase();
  const { task, counts, offer, past } = state;
  if (text === 'walk') return { ok: true, move: 'walk' };
  if (text === 'accept') return offer === null ? { ok: false, problem: 'There is no offer to accept yet.' } : { ok: true, move: 'accept' };
  if (past.length === task.turns - 1) return { ok: false, problem: 'This is the last turn: only [accept] and [walk] are left.' };
  if (task.mode === 'haggle') {
    const price = /^price (\d{1,4}(?:\.\d{1,9})?)$/.exec(text)?.[1];
    if (price === undefined || Number(price) > task.top)
      return { ok: false, problem: `Name a price from 0 to ${task.top}, like [price ${task.top >> 1}], or answer [accept] or [walk].` };
    return { ok: true, move: [Number(price)] };
  }
  const numbers = /^offer (\d)(?: ?, ?| )(\d)(?: ?, ?| )(\d)$/.exec(text)?.slice(1).map(Number);
  if (numbers === undefined || numbers.some((retainedCount, k) => retainedCount > counts[k]))
    return { ok: false, problem: `Offer to keep from 0,0,0 to ${counts}, like [offer ${counts}], or answer [accept] or [walk].` };
  // An offer is written from its maker's side and stored from the first side's.
  return { ok: true, move: past.length % 2 === 0 ? numbers : numbers.map((retainedCount, k) => counts[k] - retainedCount) };
}
