/** @file Leduc poker: six cards, two rounds of betting, one public card. Small enough to be solved, large enough to need planning. */

import type {
  Action,
  Ask,
  Environment,
  Message,
  MoveOutcome,
  Rng,
  Seat,
  TaskOf,
  TaskState,
  Turn,
  View,
} from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { equilibriumScript } from './solve/equilibrium.ts';
import { gameTree } from './solve/tree.ts';

const parameters = {
  hands: parameter.integer({
    min: 1,
    max: 1000,
    default: 1,
    description: 'hands to play; the seat that opens alternates and chips add up',
  }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/** `line` is the betting so far, with a slash between the rounds: c(all), r(aise), as in "rc/c". `past` ended the previous hand. */
type State = TaskState<Hand, Task>;
type Hand = {
  /** Each seat's card, by its index in the deck. */
  readonly cards: readonly number[];
  readonly board: number | null;
  readonly line: string;
  readonly past: string;
  /** The chips that each seat has put in. */
  readonly chips: readonly number[];
  readonly raises: number;
  readonly hand: number;
};

const seats = ['first', 'second'] as const;
const both: readonly Seat[] = seats;
const deck = ['J of hearts', 'J of spades', 'Q of hearts', 'Q of spades', 'K of hearts', 'K of spades'] as const;
const cards = deck.map((_, card) => card);
const deals = cards.flatMap((a) => cards.filter((b) => b !== a).map((b) => [a, b] as const));
const raiseOf = { first: 2, second: 4 } as const;
const raiseLimit = 2;

const even = ['[call]', '[raise]'] as const;
const facing = ['[fold]', '[call]', '[raise]'] as const;
const capped = ['[fold]', '[call]'] as const;
type Move = (typeof facing)[number];

const asks = seats.map((seat) => ({
  even: [{ seat, choices: even }],
  facing: [{ seat, choices: facing }],
  capped: [{ seat, choices: capped }],
}));
const rules = seats.map((seat): Message => ({ to: [seat], text: rulesFor(seat) }));
const dealt = seats.map((seat) => deck.map((card): Message => ({ to: [seat], text: `Your card is ${card}.` })));
const visibleMessages = deck.map(
  (card): Message => ({ to: both, text: `The public card is ${card}. Second round: a raise is ${raiseOf.second} chips.` }),
);
const verbs: Readonly<Record<Move, string>> = { '[fold]': 'folds', '[call]': 'calls', '[raise]': 'raises' };

function rulesFor(seat: Seat): string {
  return [
    `You are playing Leduc poker in the ${seat} seat. The deck has two suits of J < Q < K. Both players put in 1 chip and get one card each.`,
    `There are two rounds of betting, and the same player opens both. Between them one public card is shown.`,
    `[call] matches the other's chips, or checks when nothing is owed. [raise] matches and puts in ${raiseOf.first} more in the first round, ${raiseOf.second} more in the second, at most twice a round by both together. [fold] is possible only facing a raise and loses the chips put in.`,
    'After the second round a card that pairs the public card wins; if neither does, the higher card wins; equal cards split.',
    'Answer with exactly one move in square brackets.',
  ].join('\n');
}

/** The closest equilibrium that CFR reaches in half a second: the best response to it wins less than 0.001 chips per hand. */
const equilibrium = equilibriumScript({
  tree: () => gameTree(leduc),
  iterations: 500,
  keyOf(view) {
    const { card, board, line } = handIn(view);
    return `${card} ${board} ${line}`;
  },
});

export const leduc: Environment<State, Task> = defineEnvironment({
  id: 'leduc@1',
  about: {
    summary:
      'Two players, six cards, two betting rounds around one public card: the standard small poker game of research. Rewards are chips won or lost (−13 to 13), zero-sum; a hand is worth about −0.0856 to the player who opens.',
    tasks: [{}, { hands: 2 }],
    turns: 2 * 8 * 3,
    sum: 0,
    complete: true,
    words: ['fold', 'call', 'raise', 'J', 'Q', 'K', 'hearts', 'spades'],
  },
  parameters,
  seats,

  start: (task, rng) => deal({ cards: [], board: null, line: '', past: '', chips: [], raises: 0, hand: 0 }, task, rules, rng),
  turn: asksOf,

  play(state, move, { seat, rng }) {
    const actor = toAct(state);
    const announcement: Message = { to: both, text: `${seat} ${verbs[move as Move]}.` };
    if (move === '[fold]') return lose(state, actor, announcement, rng);
    const owed = state.chips[1 - actor];
    const raise = move === '[raise]' ? (state.board === null ? raiseOf.first : raiseOf.second) : 0;
    const next: State = {
      ...state,
      line: state.line + move[1],
      chips: state.chips.with(actor, owed + raise),
      raises: state.raises + (raise > 0 ? 1 : 0),
    };
    // A call ends the round, unless it is the opening check.
    if (raise > 0 || next.line === 'c' || next.line.endsWith('/c')) return { state: next, messages: [announcement] };
    return next.board === null ? showCard(next, announcement, rng) : showdown(next, announcement, rng);
  },

  forfeit: (state, _, text, rng) => lose(state, toAct(state), { to: both, text }, rng),

  knows(state, seat) {
    const mine = seats.indexOf(seat as (typeof seats)[number]);
    return { card: state.cards[mine], board: state.board, line: state.line, past: state.past, hand: state.hand };
  },

  scripts: { cfr: equilibrium, tight },
});

function deal(hand: Hand, { hands }: Pick<Task, 'hands'>, before: readonly Message[], rng: Rng): MoveOutcome<Hand> {
  const cards = rng.pick(deals);
  const messages = [...before, dealt[0][cards[0]], dealt[1][cards[1]]];
  if (hands > 1) messages.push({ to: both, text: `Hand ${hand.hand + 1} of ${hands}: ${seats[hand.hand % 2]} opens.` });
  return { state: { ...hand, cards, board: null, line: '', chips: [1, 1], raises: 0 }, messages };
}

/** Returns the seat to act. The same seat opens both rounds of a hand; seats alternate from hand to hand. */
function toAct({ line, hand }: Hand): number {
  return (line.length - (line.indexOf('/') + 1) + hand) % 2;
}

function asksOf(state: Hand): readonly Ask[] {
  const mine = asks[toAct(state)];
  if (state.chips[0] === state.chips[1]) return mine.even;
  return state.raises < raiseLimit ? mine.facing : mine.capped;
}

function showCard(state: State, announcement: Message, rng: Rng): MoveOutcome<Hand> {
  const board = rng.pick(cards.filter((card) => !state.cards.includes(card)));
  return { state: { ...state, board, line: `${state.line}/`, raises: 0 }, messages: [announcement, visibleMessages[board]] };
}

function showdown(state: State, announcement: Message, rng: Rng): MoveOutcome<Hand> {
  const [a, b] = state.cards.map((card) => strength(card, state.board as number)) as [number, number];
  const stake = a === b ? 0 : state.chips[0];
  const outcome = stake === 0 ? 'The pot is split.' : `${a > b ? 'first' : 'second'} wins ${stake}.`;
  const text = `Showdown: first has ${deck[state.cards[0]]}, second has ${deck[state.cards[1]]}. ${outcome}`;
  return settle(state, a > b ? stake : -stake, [announcement, { to: both, text }], rng);
}

/** Returns the strength of a card. A pair beats any card without one. */
function strength(card: number, board: number): number {
  return card >> 1 === board >> 1 ? 3 : card >> 1;
}

/** Ends the hand: the seat loses the chips it has put in. */
function lose(state: State, actor: number, announcement: Message, rng: Rng): MoveOutcome<Hand> {
  const chips = state.chips[actor];
  return settle(state, actor === 0 ? -chips : chips, [announcement], rng);
}

/** Rewards the first seat with `amount`, the second with its negative, and deals the next hand if one is left. */
function settle(state: State, amount: number, messages: readonly Message[], rng: Rng): MoveOutcome<Hand> {
  const rewards = { first: amount === 0 ? 0 : amount, second: amount === 0 ? 0 : -amount };
  const ended: State = { ...state, hand: state.hand + 1, past: (messages.at(-1) as Message).text };
  if (ended.hand >= state.task.hands) return { state: ended, messages, rewards, over: true };
  return { ...deal(ended, state.task, messages, rng), rewards };
}

/** The current hand, from a view. */
interface SeenHand {
  readonly card: string;
  readonly board: string | null;
  readonly line: string;
}

function handIn(view: View): SeenHand {
  let card = '';
  let board: string | null = null;
  let line = '';
  for (const item of view.seen) {
    if (item.kind !== 'message') continue;
    const { text } = item;
    if (text.startsWith('Your card is ')) {
      card = text.slice(13, -1);
      board = null;
      line = '';
    } else if (text.startsWith('The public card is ')) {
      board = text.slice(19, text.indexOf('.'));
      line += '/';
    } else if (text.endsWith(' calls.')) line += 'c';
    else if (text.endsWith(' raises.')) line += 'r';
  }
  return { card, board, line };
}

/** Raises with a king, then with a pair. Calls in the first round with a queen, and in the second with a king. Never bluffs. */
function tight({ view, ask }: Turn): Action {
  const { card, board } = handIn(view);
  const pair = board !== null && card[0] === board[0];
  const strong = pair || (board === null && card[0] === 'K');
  const fair = card[0] === 'K' || (board === null && card[0] === 'Q');
  const choices = ask.choices as readonly string[];
  if (strong && choices.includes('[raise]')) return { text: '[raise]' };
  return { text: strong || fair || !choices.includes('[fold]') ? '[call]' : '[fold]' };
}
