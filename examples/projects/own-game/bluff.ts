/** @file Bluff: each player gets a hidden card; the first bets or checks, and the second calls or folds. */

import {
  type Action,
  type Ask,
  askAgain,
  choose,
  type Environment,
  forfeitText,
  knob,
  type Message,
  readTask,
  retries,
  type Seat,
  type Step,
  type TaskOf,
} from 'ludus-agents';

// The parameters of a task: `ludus play ./bluff.ts --task '{"cards":5}'`.
const knobs = {
  cards: knob.whole({ from: 2, to: 13, otherwise: 3, about: 'cards in the deck, numbered from 1' }),
  retries,
} as const;

type Task = TaskOf<typeof knobs>;

// The whole state as plain JSON. The engine stores nothing else between steps.
type State = {
  readonly hands: readonly number[]; // hands[0] belongs to the first seat
  readonly deck: number;
  readonly moves: readonly string[]; // what both players have seen each other do
  readonly retries: number;
  readonly misses: number;
};

const seats: readonly Seat[] = ['first', 'second'];

export const bluff: Environment<State, Task> = {
  id: 'bluff@1',
  about: {
    summary:
      'Two players get one hidden card each. The first checks (showdown for 1 chip) or bets; the second then folds (loses 1) or calls (showdown for 2). Rewards are chips and sum to zero.',
    tasks: [{}, { cards: 5 }],
    // The maximum number of turns: two decisions, each repeated until its retries run out.
    turns: 2 * 11,
    sum: 0,
  },
  knobs,
  task: (input) => readTask('bluff', knobs, input),
  seats: () => seats,

  // Chance: draw every random outcome from `rng`, never from Math.random. The same seed then deals the same cards.
  start(task, rng) {
    const deck = Array.from({ length: task.cards }, (_, i) => i + 1);
    const first = rng.pick(deck);
    const second = rng.pick(deck.filter((card) => card !== first));
    const hands = [first, second];
    const state: State = { hands, deck: task.cards, moves: [], retries: task.retries, misses: 0 };
    const rules: Message = {
      to: seats,
      text: [
        `The deck has the cards 1 to ${task.cards}, and each player gets one. The first player answers [check] or [bet].`,
        'After [check], the higher card wins 1 chip. After [bet], the second player answers [fold] and loses 1 chip, or [call]: the higher card wins 2.',
        'Answer with exactly one move in square brackets.',
      ].join('\n'),
    };
    // Hidden information: a message reaches only the seats in `to`. Nobody else ever sees this card.
    const cards = seats.map((seat, i): Message => ({ to: [seat], text: `Your card is ${hands[i]}.` }));
    return { state, messages: [rules, ...cards], asks: [askOf(state)] };
  },

  step(state, actions) {
    const ask = askOf(state);
    const read = choose(actions[ask.seat] as Action, ask.choices as readonly string[]);
    // An answer that is not a legal move costs a retry. Without retries left, the seat loses 1 chip.
    if (!read.ok) return askAgain(state, ask, read.problem, state.retries) ?? forfeit(state, ask.seat);
    const next: State = { ...state, moves: [...state.moves, read.move], misses: 0 };
    const announcement: Message = { to: seats, text: `${ask.seat} answers ${read.move}.` };
    if (read.move === '[bet]') return { state: next, messages: [announcement], asks: [askOf(next)] };
    if (read.move === '[fold]') return finish(next, 1, [announcement]);
    const [first, second] = state.hands as [number, number];
    const showdown: Message = { to: seats, text: `first has ${first}, second has ${second}.` };
    return finish(next, (first > second ? 1 : -1) * (read.move === '[call]' ? 2 : 1), [announcement, showdown]);
  },

  // What a seat may know about a state: its own card, the moves, and both cards after a showdown. "ludus env check" compares this with the
  // messages and fails if they reveal anything else.
  knows(state, seat) {
    const isShown = ['[check]', '[call]'].includes(state.moves.at(-1) ?? '');
    return { hands: isShown ? state.hands : [state.hands[seats.indexOf(seat)] as number], deck: state.deck, moves: state.moves };
  },

  // A state that is possible given what the seat knows: its own card stays, the other card is dealt again. Search agents play on it.
  imagine(state, seat, rng) {
    const mine = seats.indexOf(seat);
    const others = Array.from({ length: state.deck }, (_, i) => i + 1).filter((card) => card !== state.hands[mine]);
    return { ...state, hands: state.hands.map((card, i) => (i === mine ? card : rng.pick(others))) };
  },

  // Players without a model, cast as scripted:honest. A script sees what its seat sees: the messages and the legal moves.
  scripts: {
    honest({ view, ask }) {
      const texts = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
      const card = Number(texts.join(' ').match(/Your card is (\d+)/)?.[1]);
      const deck = Number(texts.join(' ').match(/cards 1 to (\d+)/)?.[1]);
      const isHigh = card > deck / 2 + 0.5;
      return { text: ask.seat === 'first' ? (isHigh ? '[bet]' : '[check]') : isHigh ? '[call]' : '[fold]' };
    },
  },
};

function askOf({ moves }: State): Ask {
  return moves.includes('[bet]') ? { seat: 'second', choices: ['[fold]', '[call]'] } : { seat: 'first', choices: ['[check]', '[bet]'] };
}

function forfeit(state: State, seat: Seat): Step<State> {
  return finish({ ...state, moves: [...state.moves, 'forfeit'] }, seat === 'first' ? -1 : 1, [{ to: seats, text: forfeitText(seat) }]);
}

/** Ends the game. `chips` is what the first seat wins from the second. */
function finish(state: State, chips: number, messages: readonly Message[]): Step<State> {
  const text = `${chips > 0 ? 'first' : 'second'} wins ${Math.abs(chips)}.`;
  return { state, messages: [...messages, { to: seats, text }], asks: [], rewards: { first: chips, second: -chips } };
}
