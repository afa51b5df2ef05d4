/** @file Pictures of games: commons, dilemma, grids, poker, and the town. */

import { payoffs } from '@ludus-agents/environments/internal/dilemma';
import { openPlaces, places } from '@ludus-agents/societies/internal/town/places';
import { clockOf, companyOf, type TownState, timeOf } from '@ludus-agents/societies/internal/town/state';
import type { GridPicture, HandPicture, Picture, PlacePicture } from '../api.ts';
import type { Eyes } from './index.ts';

type Harvest = {
  readonly round: number;
  readonly stock: number;
  readonly takes: Readonly<Record<string, number>>;
};

interface Commons {
  readonly task: { readonly capacity: number };
  readonly stock: number;
  readonly past: readonly (Harvest | { readonly said: string })[];
}

/** The stock of a commons, round by round, and each player's harvest. */
export function drawCommons({ task: { capacity }, stock, past }: Commons, { seat, seats, knows }: Eyes): Picture | null {
  // Players who have not joined know nothing; late ones know only later events.
  if (seat !== null && knows === null) return null;
  const knownPast = seat === null ? past : (knows as Pick<Commons, 'past'>).past;
  const harvests = knownPast.filter((entry): entry is Harvest => 'takes' in entry);
  return {
    kind: 'stock',
    stock: [...harvests.map((harvest) => harvest.stock), stock],
    capacity,
    takes: Object.fromEntries(seats.map((seat) => [seat, harvests.map(({ takes }) => takes[seat] ?? 0)])),
  };
}

interface Dilemma {
  readonly task: { readonly game: string };
  readonly past: readonly Readonly<Record<string, string | number>>[];
}

const moves = ['C', 'D'] as const;

/** The matrix of a dilemma, with the actions round by round. */
export function drawDilemma({ task: { game }, past }: Dilemma, { seats }: Eyes): Picture | null {
  const table = Object.hasOwn(payoffs, game) ? payoffs[game as keyof typeof payoffs] : undefined;
  const [first, second] = seats;
  if (table === undefined || first === undefined || second === undefined) return null;
  // The same list contains messages between rounds.
  const played = past
    .map((round) => [String(round[first]), String(round[second])] as const)
    .filter((round) => round.every((move) => moves.includes(move as 'C')));
  return { kind: 'matrix', moves, cells: [table.slice(0, 2), table.slice(2, 4)], seats: [first, second], played };
}

interface Board {
  readonly cells: string;
  readonly task: { readonly columns: number; readonly rows: number; readonly k: number; readonly gravity: boolean };
}

/** A free cell is a move; with gravity, its column is the move. */
export function drawGrid({ cells, task: { columns, rows, k, gravity } }: Board, { choices }: Pick<Eyes, 'choices'>): GridPicture {
  const plays = [...cells].flatMap((mark, cell) => {
    const move = `[${gravity ? cell % columns : cell}]`;
    return mark === '.' && choices.includes(move) ? [{ move, cells: [cell] }] : [];
  });
  return { kind: 'grid', columns, rows, cells, gravity, won: lineOf(cells, columns, rows, k), plays };
}

/** The first k in a row, or empty. */
function lineOf(cells: string, columns: number, rows: number, k: number): readonly number[] {
  const directions = [
    [1, 0],
    [0, 1],
    [1, 1],
    [1, -1],
  ] as const;
  for (let cell = 0; cell < cells.length; cell++) {
    if (cells[cell] === '.') continue;
    const [x, y] = [cell % columns, Math.floor(cell / columns)];
    for (const [dx, dy] of directions) {
      const [endX, endY] = [x + dx * (k - 1), y + dy * (k - 1)];
      if (endX >= columns || endY >= rows || endY < 0) continue;
      const line = Array.from({ length: k }, (_, i) => (y + dy * i) * columns + x + dx * i);
      if (line.every((value) => cells[value] === cells[cell])) return line;
    }
  }
  return [];
}

const ranks = ['J', 'Q', 'K'] as const;
const suits = ['♥', '♠'] as const;

interface Kuhn {
  readonly cards: readonly number[];
  readonly line: string;
  readonly past: string;
  readonly round: number;
  readonly rounds: number;
}

/** A poker table: each player's cards and bets, and the card on the board. */
export function drawKuhn({ cards, line, past, round, rounds }: Kuhn, eyes: Eyes): Picture {
  const over = round >= rounds;
  // After the last hand its number has already advanced, and so has the opening player.
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

/** The square is in the middle, everything else around it. */
const spots: Readonly<Record<string, readonly [number, number]>> = {
  ...{ home: [0, 0], cafe: [1, 0], market: [2, 0], workshop: [0, 1], square: [1, 1], library: [2, 1], park: [0, 2], tavern: [1, 2] },
};

/** The map of a town: its places, and the people at each. A seat sees only the people at its own place. */
export function drawTown(state: TownState, { seat, seats }: Eyes): Picture {
  const { at, day, knows } = state;
  const observations = seat === null ? seats : [seat, ...companyOf(at, seats, seat)];
  // Between two hours, people are still at their places of the previous hour.
  const over = state.phase === 'react' ? state.hour + 1 : state.hour;
  const hour = clockOf({ task: state.task, hour: over - 1 });
  const time = over > 0 ? `${timeOf(hour)} to ${timeOf(hour + 1)}` : timeOf(hour);
  const open = openPlaces(hour).map(({ name }) => name);
  const placePictures = places.map(({ name }): PlacePicture => {
    const [x, y] = spots[name]!;
    const here = observations.filter((item) => at[item] === name);
    // Only viewers who see everything see the spread of the news.
    const marked = seat === null ? here.filter((item) => knows[item] !== undefined) : [];
    return { name, x, y, here, current: here.length > 0, closed: !open.includes(name), marked };
  });
  const square = places.findIndex(({ name }) => name === 'square');
  const ways = places.flatMap((_, i) => (i === square ? [] : [[square, i] as const]));
  const news = seat === null ? `, ${Object.keys(knows).length} of ${seats.length} know the news (marked)` : '';
  return { kind: 'map', places: placePictures, ways, note: `Day ${day}, ${time}${news}` };
}
