/** @file Kuhn poker: three cards, one chip each, one bet. The smallest game in which bluffing is right. Exactly solved. */

import {
  type Action,
  type Ask,
  askAgain,
  choose,
  type Environment,
  forfeitText,
  knob,
  type Message,
  type Rng,
  readTask,
  retries,
  type Seat,
  type Step,
  shareStep,
  type TaskOf,
  type Turn,
  type View,
} from '@ludus-agents/kernel/internal/core/index';

const knobs = {
  rounds: knob.whole({ from: 1, to: 1000, otherwise: 1, about: 'hands to play; the first seat alternates and chips add up' }),
  retries,
} as const;

type Task = TaskOf<typeof knobs>;

/** `line` is the betting so far: c(heck), b(et), f(old) or (c)all, as in "cb". `cards[i]` belongs to seat i, `past` ended the hand before. */
type State = {
  readonly cards: readonly number[];
  readonly line: string;
  readonly past: string;
  readonly round: number;
  readonly rounds: number;
  readonly retries: number;
  readonly misses: number;
};

const seats = ['first', 'second'] as const;
const both: readonly Seat[] = seats;
const ranks = ['J', 'Q', 'K'] as const;
const deals = [0, 1, 2].flatMap((a) => [0, 1, 2].filter((b) => b !== a).map((b) => [a, b] as const));

const opening = ['[check]', '[bet]'] as const;
const facingBet = ['[fold]', '[call]'] as const;
type Move = (typeof opening)[number] | (typeof facingBet)[number];

const asks = seats.map((seat) => ({ opening: [{ seat, choices: opening }], facingBet: [{ seat, choices: facingBet }] }));
const rules = seats.map((seat, i): Message => ({ to: [seat], text: rulesFor(i) }));
const dealt = seats.map((seat) => ranks.map((rank): Message => ({ to: [seat], text: `Your card is ${rank}.` })));
const spoken = seats.map(
  (seat): Record<Move, Message> => ({
    '[check]': { to: both, text: `${seat} checks.` },
    '[bet]': { to: both, text: `${seat} bets 1.` },
    '[fold]': { to: both, text: `${seat} folds.` },
    '[call]': { to: both, text: `${seat} calls.` },
  }),
);

function rulesFor(i: number): string {
  return [
    `You are playing Kuhn poker in the ${seats[i]} seat. The deck is J < Q < K. Both players put in 1 chip and get one card each.`,
    'The player who opens answers [check] or [bet] (1 more chip). After a check the other may [check] (showdown for 1 chip) or [bet].',
    'Facing a bet, [fold] loses 1 chip and [call] leads to a showdown for 2 chips. The higher card wins a showdown.',
    'Answer with exactly one move in square brackets.',
  ].join('\n');
}

export const kuhnPoker: Environment<State, Task> = {
  id: 'kuhn-poker@1',
  about: {
    summary:
      'Two players, three cards, one bet: the smallest poker in which bluffing and calling bluffs are part of every optimal strategy. Rewards are chips, zero-sum; the value of a hand to the player who opens is −1/18.',
    tasks: [{}, { rounds: 3 }],
    turns: 3 * 3 * 11,
    sum: 0,
    complete: true,
    words: ['check', 'bet', 'fold', 'call', 'J', 'Q', 'K'],
  },
  knobs,
  task: (input) => readTask('kuhn-poker', knobs, input),
  seats: () => seats,

  start(task, rng) {
    const cards = rng.pick(deals);
    if (task.rounds > 1) return deal(beforeFirst(task), rules, cards);
    const index = (task.retries * ranks.length + cards[0]) * ranks.length + cards[1];
    openings[index] ??= keepStep(deal(beforeFirst(task), rules, cards));
    return openings[index];
  },

  step(state, actions, rng) {
    const ask = asksOf(state)[0]!;
    const action = actions[ask.seat]!;
    const known = stepsAfter.get(state);
    const before = known?.get(action.text);
    if (before !== undefined) return before;
    const made = stepFrom(state, ask, action, rng);
    // Only what is written as it is listed is kept: there is no end to what else may be answered.
    if (known === undefined || !ask.choices?.includes(action.text)) return made;
    known.set(action.text, keepStep(made));
    return made;
  },

  knows(state, seat) {
    const mine = seats.indexOf(seat as (typeof seats)[number]);
    return { card: state.cards[mine]!, line: state.line, past: state.past, round: state.round };
  },

  /** The other card is any of those that are not one's own. */
  imagine(state, seat, rng) {
    const mine = seats.indexOf(seat as (typeof seats)[number]);
    return { ...state, cards: rng.pick(deals.filter((cards) => cards[mine] === state.cards[mine])) };
  },

  scripts: { equilibrium, honest, bold },
};

/** How single hands begin, by the tries and the cards, and how they go on, by the state before and the answer: all episodes share them. */
const openings: Step<State>[] = [];
const stepsAfter = new WeakMap<State, Map<string, Step<State>>>();

function keepStep(step: Step<State>): Step<State> {
  stepsAfter.set(step.state, new Map());
  return shareStep(step);
}

function stepFrom(state: State, ask: Ask, action: Action, rng: Rng): Step<State> {
  const actor = toAct(state);
  const { seat } = ask;
  const read = choose(action, ask.choices as readonly Move[]);
  if (!read.ok) {
    return askAgain(state, ask, read.problem, state.retries) ?? settle(state, actor, -1, [{ to: both, text: forfeitText(seat) }], rng);
  }
  const line = state.line + read.move[1];
  const said = spoken[actor]![read.move];
  const next: State = { ...state, line, misses: 0 };
  if (read.move === '[fold]') return settle(next, actor, -1, [said], rng);
  if (read.move === '[call]') return showdown(next, 2, said, rng);
  if (line === 'cc') return showdown(next, 1, said, rng);
  return { state: next, messages: [said], asks: asksOf(next) };
}

function beforeFirst({ rounds, retries: tries }: Task): State {
  return { cards: [], line: '', past: '', round: 0, rounds, retries: tries, misses: 0 };
}

function deal(state: State, before: readonly Message[], cards: (typeof deals)[number]): Step<State> {
  const next: State = { ...state, cards, line: '', misses: 0 };
  const messages = [...before, dealt[0]![cards[0]]!, dealt[1]![cards[1]]!];
  if (state.rounds > 1) messages.push({ to: both, text: `Hand ${state.round + 1} of ${state.rounds}: ${seats[state.round % 2]} opens.` });
  return { state: next, messages, asks: asksOf(next) };
}

/** Which seat acts: the opener on an even number of moves, alternating who opens from round to round. */
function toAct(state: State): number {
  return (state.line.length + state.round) % 2;
}

function asksOf(state: State): readonly Ask[] {
  const mine = asks[toAct(state)]!;
  return state.line.endsWith('b') ? mine.facingBet : mine.opening;
}

function showdown(state: State, stake: number, said: Message, rng: Rng): Step<State> {
  const [a, b] = state.cards as [number, number];
  const text = `Showdown: first has ${ranks[a]}, second has ${ranks[b]}. ${a > b ? 'first' : 'second'} wins ${stake}.`;
  const shown: Message = { to: both, text };
  return settle(state, 0, a > b ? stake : -stake, [said, shown], rng);
}

/** Pays `amount` to seat `actor`, its negative to the other, and deals the next hand if one is left. */
function settle(state: State, actor: number, amount: number, messages: readonly Message[], rng: Rng): Step<State> {
  const first = actor === 0 ? amount : -amount;
  const rewards = { first, second: -first };
  const ended: State = { ...state, round: state.round + 1, past: (messages.at(-1) as Message).text };
  if (ended.round >= state.rounds) return { state: ended, messages, asks: [], rewards };
  return { ...deal(ended, messages, rng.pick(deals)), rewards };
}

/** What a view says about the hand being played: the own card, and the betting so far as in `State.line`. */
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

/** In sixths, how often an equilibrium bets or calls, by the betting so far; its free parameter (bluffs with J when opening) is 1/6. */
const aggression: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '': { J: 1, Q: 0, K: 3 },
  c: { J: 2, Q: 0, K: 6 },
  b: { J: 0, Q: 2, K: 6 },
  cb: { J: 0, Q: 3, K: 6 },
};

/** Plays one of the exact Nash equilibria: no opponent can win more than −1/18 a hand opening, or 1/18 answering, against it. */
function equilibrium({ view, ask, rng }: Turn): Action {
  const { card, line } = handIn(view);
  return { text: (ask.choices as readonly string[])[rng.int(6) < (aggression[line]?.[card] ?? 0) ? 1 : 0]! };
}

/** Bets and calls with K only: it never bluffs, and folds to every bluff. */
function honest({ view, ask }: Turn): Action {
  return { text: (ask.choices as readonly string[])[handIn(view).card === 'K' ? 1 : 0]! };
}

/** Bets and calls with every card. */
function bold({ ask }: Turn): Action {
  return { text: (ask.choices as readonly string[])[1]! };
}
