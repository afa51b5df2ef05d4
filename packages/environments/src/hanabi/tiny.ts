/**
 * @file Tiny Hanabi: two cards, two moves, one shared payoff. The smallest game in which a move must also be a message.
 *
 * The payoffs are those of the two-step matrix game in "Bayesian Action Decoder" (Foerster et al. 2019).
 */

import { type Action, defineEnvironment, type Message, type Seat, type Turn } from '@ludus-agents/kernel/internal/core/index';

/** `cards[i]` and `moves[i]` belong to seat i; both count from 0. */
type State = {
  readonly cards: readonly number[];
  readonly moves: readonly number[];
};

/** Indexed by the first seat's card, the second's card, the first's move, and the second's move. */
const payoffs = [
  [
    [
      [10, 0, 0],
      [4, 8, 4],
      [10, 0, 0],
    ],
    [
      [0, 0, 10],
      [4, 8, 4],
      [0, 0, 10],
    ],
  ],
  [
    [
      [0, 0, 10],
      [4, 8, 4],
      [0, 0, 0],
    ],
    [
      [10, 0, 0],
      [4, 8, 4],
      [10, 0, 0],
    ],
  ],
] as const;

const seats = ['first', 'second'] as const;
const both: readonly Seat[] = seats;
const letters = ['A', 'B'] as const;
const choices = ['[1]', '[2]', '[3]'] as const;
const rules = seats.map((seat): Message => ({ to: [seat], text: rulesFor(seat) }));
const dealt = seats.map((seat) => letters.map((letter): Message => ({ to: [seat], text: `Your card is ${letter}.` })));

function rulesFor(seat: Seat): string {
  const rows = letters.flatMap((a, i) =>
    letters.flatMap((b, j) =>
      choices.map(
        (move, k) => `first holds ${a}, second holds ${b}, first plays ${move.slice(1, -1)}: ${payoffs[i]?.[j]?.[k]?.join(', ')}`,
      ),
    ),
  );
  return [
    `You are the ${seat} of two partners. Each holds one card, A or B, and sees only its own. first plays 1, 2 or 3; second sees that and plays 1, 2 or 3.`,
    'Both get the same payoff. It depends on the cards and the moves; for second playing 1, 2, 3 it is:',
    ...rows,
    'Answer with exactly one move in square brackets, like [1].',
  ].join('\n');
}

export const hanabiTiny = defineEnvironment({
  id: 'hanabi-tiny@1',
  about: {
    summary:
      'Two partners hold one of two cards each. The first one moves, the second one sees the move and moves too, and both get the same payoff from a table. The best pair of strategies earns 10, because the first move reveals the card. Without reading the move, no pair earns more than 8; random play earns 67/18.',
    tasks: [{}],
    turns: 2 * 3,
    complete: true,
    words: ['A', 'B'],
  },
  seats,

  start(_, rng) {
    const cards = [rng.int(2), rng.int(2)] as const;
    const state: State = { cards, moves: [] };
    return { state, messages: [...rules, dealt[0][cards[0]], dealt[1][cards[1]]] };
  },

  turn: ({ moves }) => ({ seat: seats[moves.length], choices }),

  play(state, move, { seat }) {
    const moves = [...state.moves, choices.indexOf(move as (typeof choices)[number])];
    const next: State = { ...state, moves };
    const announcement: Message = { to: both, text: `${seat} plays ${move.slice(1, -1)}.` };
    const [a, b] = state.cards as [0 | 1, 0 | 1];
    const [x, y] = moves as [0 | 1 | 2, (0 | 1 | 2)?];
    if (y === undefined) return { state: next, messages: [announcement] };
    const payoff = payoffs[a][b][x][y];
    const messages = [announcement, { to: both, text: `The payoff is ${payoff}.` }];
    return { state: next, messages, rewards: { first: payoff, second: payoff }, over: true };
  },

  forfeit: (state, _, text) => ({ state, messages: `${text} The payoff is 0.`, rewards: { first: 0, second: 0 }, over: true }),

  knows: ({ cards, moves }, seat) => ({ card: cards[seat === 'first' ? 0 : 1], moves }),

  scripts: { optimal, safe },
});

/**
 * One half of an optimal pair: the first seat signals its card by playing 3 with A and 1 with B; the second responds to the card and the
 * move.
 */
function optimal({ view }: Turn): Action {
  let card = '';
  let observedText = '';
  for (const item of view.seen) {
    if (item.kind !== 'message') continue;
    if (item.text.startsWith('Your card is ')) card = item.text.slice(13, -1);
    else if (item.text.startsWith('first plays ')) observedText = item.text.slice(12, -1);
  }
  if (observedText === '') return { text: card === 'A' ? '[3]' : '[1]' };
  const partner = observedText === '3' ? 'A' : 'B';
  return { text: partner === card ? '[1]' : '[3]' };
}

/** Always plays 2: a pair of such players earns 8 without communication. */
function safe(): Action {
  return { text: '[2]' };
}
