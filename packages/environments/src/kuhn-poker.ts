/** @file Kuhn poker: three cards, one chip each, one bet. The smallest game in which bluffing is optimal. Solved exactly. */

import type { Action, Ask, Message, MoveOutcome, Rng, Seat, TaskOf, TaskState, Turn, View } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, parameter } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  rounds: parameter.integer({ min: 1, max: 1000, default: 1, description: 'hands to play; the first seat alternates and chips add up' }),
} as const;

type Task = TaskOf<typeof parameters>;

/**
 * `line` is the betting so far: c(heck), b(et), f(old), or (c)all, as in "cb". `cards[i]` belongs to seat i, `past` ended the previous
 * hand.
 */
type State = TaskState<Hand, Task>;
type Hand = {
  readonly cards: readonly number[];
  readonly line: string;
  readonly past: string;
  readonly round: number;
};

const seats = ['first', 'second'] as const;
const both: readonly Seat[] = seats;
const ranks = ['J', 'Q', 'K'] as const;
const deals = [0, 1, 2].flatMap((a) => [0, 1, 2].filter((b) => b !== a).map((b) => [a, b] as const));

const opening = ['[check]', '[bet]'] as const;
const facingBet = ['[fold]', '[call]'] as const;
type Move = (typeof opening)[number] | (typeof facingBet)[number];

const asks = seats.map((seat) => ({ opening: { seat, choices: opening }, facingBet: { seat, choices: facingBet } }));
const rules = seats.map((seat, i): Message => ({ to: [seat], text: rulesFor(i) }));
const dealt = seats.map((seat) => ranks.map((rank): Message => ({ to: [seat], text: `Your card is ${rank}.` })));
const verbs: Readonly<Record<Move, string>> = { '[check]': 'checks', '[bet]': 'bets 1', '[fold]': 'folds', '[call]': 'calls' };

function rulesFor(i: number): string {
  return [
    `You are playing Kuhn poker in the ${seats[i]} seat. The deck is J < Q < K. Both players put in 1 chip and get one card each.`,
    'The player who opens answers [check] or [bet] (1 more chip). After a check the other may [check] (showdown for 1 chip) or [bet].',
    'Facing a bet, [fold] loses 1 chip and [call] leads to a showdown for 2 chips. The higher card wins a showdown.',
    'Answer with exactly one move in square brackets.',
  ].join('\n');
}

export const kuhnPoker = defineEnvironment({
  id: 'kuhn-poker@1',
  about: {
    summary:
      'Two players, three cards, one bet: the smallest poker game in which optimal play has to bluff and call bluffs. Rewards are chips, zero-sum; a hand is worth −1/18 to the player who opens.',
    tasks: [{}, { rounds: 3 }],
    turns: 3 * 3 * 11,
    sum: 0,
    complete: true,
    words: ['check', 'bet', 'fold', 'call', 'J', 'Q', 'K'],
  },
  parameters,
  seats,

  start: (task, rng) => deal({ cards: [], line: '', past: '', round: 0 }, task, rules, rng),
  turn: askOf,

  play(state, move, { seat, rng }) {
    const next: State = { ...state, line: state.line + move[1] };
    const announcement: Message = { to: both, text: `${seat} ${verbs[move as Move]}.` };
    if (move === '[fold]') return settle(next, toAct(state), -1, [announcement], rng);
    if (move === '[call]') return showdown(next, 2, announcement, rng);
    if (next.line === 'cc') return showdown(next, 1, announcement, rng);
    return { state: next, messages: [announcement] };
  },

  forfeit: (state, _, text, rng) => settle(state, toAct(state), -1, [{ to: both, text }], rng),

  // With a single hand, nothing is random after the deal, and there are few hands.
  recurs: ({ task, cards, line, past }) => (task.rounds === 1 ? `${cards.join('')}${line} ${past}` : null),

  knows(state, seat) {
    const mine = seats.indexOf(seat as (typeof seats)[number]);
    return { card: state.cards[mine], line: state.line, past: state.past, round: state.round };
  },

  /** The opponent's card is any card except the seat's own. */
  imagine(state, seat, rng) {
    const mine = seats.indexOf(seat as (typeof seats)[number]);
    return { ...state, cards: rng.pick(deals.filter((cards) => cards[mine] === state.cards[mine])) };
  },

  scripts: { equilibrium, honest, bold },
});

function deal(hand: Hand, { rounds }: Task, before: readonly Message[], rng: Rng): MoveOutcome<Hand> {
  const cards = rng.pick(deals);
  const messages = [...before, dealt[0][cards[0]], dealt[1][cards[1]]];
  if (rounds > 1) messages.push({ to: both, text: `Hand ${hand.round + 1} of ${rounds}: ${seats[hand.round % 2]} opens.` });
  return { state: { ...hand, cards, line: '' }, messages };
}

/** Returns the seat to act: the opener after an even number of moves. The opener alternates from round to round. */
function toAct(state: Hand): number {
  return (state.line.length + state.round) % 2;
}

function askOf(state: Hand): Ask {
  const mine = asks[toAct(state)];
  return state.line.endsWith('b') ? mine.facingBet : mine.opening;
}

function showdown(state: State, stake: number, announcement: Message, rng: Rng): MoveOutcome<Hand> {
  const [a, b] = state.cards as [number, number];
  const text = `Showdown: first has ${ranks[a]}, second has ${ranks[b]}. ${a > b ? 'first' : 'second'} wins ${stake}.`;
  return settle(state, 0, a > b ? stake : -stake, [announcement, { to: both, text }], rng);
}

/** Rewards seat `actor` with `amount`, the other seat with its negative, and deals the next hand if one is left. */
function settle(state: State, actor: number, amount: number, messages: readonly Message[], rng: Rng): MoveOutcome<Hand> {
  const first = actor === 0 ? amount : -amount;
  const rewards = { first, second: -first };
  const ended: State = { ...state, round: state.round + 1, past: (messages.at(-1) as Message).text };
  if (ended.round >= state.task.rounds) return { state: ended, messages, rewards, over: true };
  return { ...deal(ended, state.task, messages, rng), rewards };
}

/** Returns the current hand from a view: the seat's card, and the betting so far as in `State.line`. */
function handIn(view: View): { readonly card: string; readonly line: string } {
  let card = '';
  let line = '';
  for (const item of view.seen) {
    if (item.kind !== 'message') continue;
    if (item.text.startsWith('Your card is ')) {
      card = item.text.slice(13, -1);
      line = '';
    } else if (item.text.endsWith(' checks.')) line += 'c';
    else if (item.text.endsWith(' bets 1.')) line += 'b';
  }
  return { card, line };
}

/** How often, in sixths, an equilibrium bets or calls, by the betting so far. Its free parameter (bluffs with J when opening) is 1/6. */
const aggression: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '': { J: 1, Q: 0, K: 3 },
  c: { J: 2, Q: 0, K: 6 },
  b: { J: 0, Q: 2, K: 6 },
  cb: { J: 0, Q: 3, K: 6 },
};

/** Plays one of the exact Nash equilibria. No opponent can win more than −1/18 per hand when opening, or 1/18 when answering. */
function equilibrium({ view, ask, rng }: Turn): Action {
  const { card, line } = handIn(view);
  return { text: (ask.choices as readonly string[])[rng.int(6) < (aggression[line]?.[card] ?? 0) ? 1 : 0] };
}

/** Bets and calls only with K: never bluffs, and folds to every bluff. */
function honest({ view, ask }: Turn): Action {
  return { text: (ask.choices as readonly string[])[handIn(view).card === 'K' ? 1 : 0] };
}

/** Bets and calls with every card. */
function bold({ ask }: Turn): Action {
  return { text: (ask.choices as readonly string[])[1] };
}
