/** @file Hanabi's cards, and the state of a game. */

import { parameter, retries, type Seat, type TaskOf, type TaskState } from '@ludus-agents/kernel/internal/core/index';

export const parameters = {
  seats: parameter.integer({ min: 2, max: 3, default: 2, description: 'number of partners' }),
  colours: parameter.integer({ min: 1, max: 5, default: 2, description: 'colors in the deck, each with a stack to build' }),
  ranks: parameter.integer({
    min: 1,
    max: 5,
    default: 3,
    description: 'the highest card; there are 3 copies of rank 1, 2 of ranks 2 to 4, 1 of rank 5',
  }),
  hand: parameter.integer({ min: 1, max: 5, default: 3, description: 'number of cards in a hand' }),
  hints: parameter.integer({ min: 1, max: 8, default: 4, description: 'hint tokens at the start, which is also the maximum' }),
  lives: parameter.integer({
    min: 1,
    max: 4,
    default: 2,
    description: 'misplayed cards after which the game is lost',
  }),
  strict: parameter.boolean({ default: false, description: 'a lost game scores 0, regardless of what was built' }),
  retries,
} as const;

export type HanabiTask = TaskOf<typeof parameters>;

/** A card is 5 × color + rank, both from 0. */
export type HanabiCard = number;

export type HanabiState = TaskState<HanabiTable, HanabiTask>;

export type HanabiTable = {
  readonly hands: readonly (readonly HanabiCard[])[];
  /** What each card's holder knows of it from hints: 1 its color, 2 its rank, 3 both. */
  readonly told: readonly (readonly number[])[];
  /** The remaining cards, unordered: each card is drawn at random from all of them. */
  readonly deck: readonly HanabiCard[];
  readonly discards: readonly HanabiCard[];
  /** The height of each color's stack. */
  readonly stacks: readonly number[];
  readonly hints: number;
  readonly lives: number;
  readonly turn: number;
  /** Turns left once the deck is empty; −1 before that. */
  readonly left: number;
  /** The last move, as text. */
  readonly past: string;
};

export const names = ['first', 'second', 'third'] as const;
const tables: readonly (readonly Seat[])[] = names.map((_, i) => names.slice(0, i + 1));
export const colours = ['red', 'blue', 'green', 'white', 'yellow'] as const;
export const copies = [3, 2, 2, 2, 1] as const;
export const cardNames = colours.flatMap((colour) => copies.map((_, rank) => `${colour} ${rank + 1}`));

export function tableOf(task: HanabiTask): readonly Seat[] {
  return tables[task.seats - 1];
}

/** All cards of a game, by number of colors and ranks. */
const decks = colours.map((_, last) =>
  copies.map((_, highest) =>
    colours
      .slice(0, last + 1)
      .flatMap((_, colour) => copies.slice(0, highest + 1).flatMap((count, rank) => new Array<HanabiCard>(count).fill(5 * colour + rank))),
  ),
);

export function deckOf(task: Pick<HanabiTask, 'colours' | 'ranks'>): readonly HanabiCard[] {
  return decks[task.colours - 1]?.[task.ranks - 1] as readonly HanabiCard[];
}

export function colourOf(card: HanabiCard): number {
  return Math.floor(card / 5);
}

export function rankOf(card: HanabiCard): number {
  return card % 5;
}
