/** @file A poker table: who holds what, what each has put in, and the card on the board. */

import type { HandPicture, Picture } from '../api.ts';
import type { Eyes } from './index.ts';

const ranks = ['J', 'Q', 'K'] as const;
const suits = ['♥', '♠'] as const;

interface Kuhn {
  readonly cards: readonly number[];
  readonly line: string;
  readonly past: string;
  readonly round: number;
  readonly rounds: number;
}

export function drawKuhn({ cards, line, past, round, rounds }: Kuhn, eyes: Eyes): Picture {
  const over = round >= rounds;
  // Once the last hand is settled its number has moved on, and with it who would open.
  const hand = over ? round - 1 : round;
  const bettor = line.includes('b') ? (line.indexOf('b') + hand) % 2 : -1;
  const isShowdown = over && past.startsWith('Showdown');
  const hands = eyes.seats.map((seat, i): HandPicture => {
    const isVisible = isShowdown || eyes.seat === null || eyes.seat === seat;
    return { seat, card: isVisible ? (ranks[cards[i]!] ?? null) : null, paid: bettor >= 0 && (isShowdown || i === bettor) ? 2 : 1 };
  });
  return table(hands, [], rounds > 1 ? `Hand ${hand + 1} of ${rounds}` : '');
}

interface Leduc {
  readonly cards: readonly number[];
  readonly board: number | null;
  readonly chips: readonly number[];
  readonly past: string;
  readonly hand: number;
  readonly hands: number;
}

export function drawLeduc({ cards, board, chips, past, hand, hands }: Leduc, eyes: Eyes): Picture {
  const over = hand >= hands;
  const isShowdown = over && past.startsWith('Showdown');
  const seated = eyes.seats.map((seat, i): HandPicture => {
    const isVisible = isShowdown || eyes.seat === null || eyes.seat === seat;
    return { seat, card: isVisible ? cardName(cards[i]!) : null, paid: chips[i] ?? 0 };
  });
  return table(seated, [board === null ? null : cardName(board)], hands > 1 ? `Hand ${(over ? hand - 1 : hand) + 1} of ${hands}` : '');
}

function cardName(card: number): string {
  return `${ranks[card >> 1]}${suits[card & 1]}`;
}

function table(hands: readonly HandPicture[], board: readonly (string | null)[], note: string): Picture {
  return { kind: 'table', pot: hands.reduce((sum, { paid }) => sum + paid, 0), hands, board, note };
}
