/** @file What the course of an episode keeps of each seat: what it has seen, its mind, its dice, and what it was paid so far. */

import {
  Dice,
  type Json,
  mostLiteralKeys,
  type Reply,
  recordOf,
  type Seat,
  type Seed,
  type Seen,
  type View,
  wordsOfPath,
} from '../core/index.ts';

/** What one seat has seen, its mind and its return so far. */
export interface SeatPlace {
  readonly seat: Seat;
  readonly index: number;
  readonly seen: Seen[];
  /** The seat's view: it grows with `seen`, so it is made once. */
  readonly view: View;
  dice: Dice;
  mind: Json | undefined;
  turns: number;
  returned: number;
  penalised: number;
  /** Asked in this turn; `reply` is what it has answered. */
  asked: boolean;
  reply: Reply | undefined;
}

export function createPlaces(seats: readonly Seat[], seed: Seed): SeatPlace[] {
  const places = new Array<SeatPlace>(seats.length);
  for (let i = 0; i < seats.length; i++) places[i] = createPlace(seats[i]!, i, seed);
  return places;
}

function createPlace(seat: Seat, index: number, seed: Seed): SeatPlace {
  const seen: Seen[] = [];
  return {
    seat,
    index,
    seen,
    view: { seat, seen },
    dice: new Dice(seed, seatPath(seat)),
    mind: undefined,
    turns: 0,
    returned: 0,
    penalised: 0,
    asked: false,
    reply: undefined,
  };
}

const seatPaths = new Map<Seat, Int32Array>();

/** The path of a seat's dice. Most episodes have the same few seats. */
export function seatPath(seat: Seat): Int32Array {
  const known = seatPaths.get(seat);
  if (known !== undefined) return known;
  const path = wordsOfPath('seat', seat);
  if (seatPaths.size < 1000) seatPaths.set(seat, path);
  return path;
}

type Sums = Record<Seat, number>;

/** What each seat was paid in all. */
export function sumUp(seats: readonly Seat[], places: readonly SeatPlace[]): { readonly returns: Sums; readonly penalties: Sums } {
  const zeros = zerosFor(seats);
  const returns = copyOf(zeros, seats);
  let penalties = zeros;
  for (const { seat, returned, penalised } of places) {
    returns[seat] = returned;
    if (penalised === 0) continue;
    if (penalties === zeros) penalties = copyOf(zeros, seats);
    penalties[seat] = penalised;
  }
  return { returns, penalties };
}

/** Zero for each of the seats that were asked for last: a rollout asks for the same ones at every end, and shares what it does not change. */
let latestZeros: { readonly seats: readonly Seat[]; readonly zeros: Sums } = { seats: [], zeros: {} };

function zerosFor(seats: readonly Seat[]): Sums {
  if (latestZeros.seats !== seats) latestZeros = { seats, zeros: recordOf(seats, () => 0) };
  return latestZeros.zeros;
}

/** A spread is the faster copy of a literal, and the slower one of a hash table. */
function copyOf(zeros: Sums, seats: readonly Seat[]): Sums {
  return seats.length > mostLiteralKeys ? recordOf(seats, () => 0) : { ...zeros };
}
