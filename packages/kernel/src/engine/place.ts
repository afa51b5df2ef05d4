/** @file The state of each seat during an episode: its observations, mind, random streams, and rewards so far. */

import type { DicePath, Json, Reply, Seat, Seed, Seen, SharedEnd, View } from '../core/index.ts';
import { Dice, mostLiteralKeys, recordOf, wordsOfPath } from '../core/index.ts';

/** One seat's observations, mind, and return so far. */
export interface SeatPlace {
  readonly seat: Seat;
  readonly index: number;
  readonly seen: Seen[];
  /** The seat's view: it grows with `seen`, so it is created once. */
  readonly view: View;
  dice: Dice;
  mind: Json | undefined;
  turns: number;
  returned: number;
  penalised: number;
  /** Asked in this turn; `reply` is its answer. */
  asked: boolean;
  reply: Reply | undefined;
}

export function createPlaces(seats: readonly Seat[], seed: Seed): SeatPlace[] {
  const { paths } = sharedBySeats(seats);
  const places = new Array<SeatPlace>(seats.length);
  for (let i = 0; i < seats.length; i++) places[i] = createPlace(seats[i]!, i, new Dice(seed, paths[i]!));
  return places;
}

function createPlace(seat: Seat, index: number, dice: Dice): SeatPlace {
  const observations: Seen[] = [];
  return {
    seat,
    index,
    seen: observations,
    view: { seat, seen: observations },
    dice,
    mind: undefined,
    turns: 0,
    returned: 0,
    penalised: 0,
    asked: false,
    reply: undefined,
  };
}

const seatPaths = new Map<Seat, Int32Array>();

/**
 * The path of a seat's random numbers: cached as words for some seats, because most episodes have the same few; others are encoded when
 * they are used.
 */
export function seatPath(seat: Seat): DicePath {
  const seatPath = seatPaths.get(seat);
  if (seatPath !== undefined) return seatPath;
  if (seatPaths.size >= 1000) return ['seat', seat];
  const path = wordsOfPath('seat', seat);
  seatPaths.set(seat, path);
  return path;
}

type Sums = Record<Seat, number>;

/** The total return of each seat. */
export function sumUp(seats: readonly Seat[], places: readonly SeatPlace[]): { readonly returns: Sums; readonly penalties: Sums } {
  const { zeros } = sharedBySeats(seats);
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

/** Whether the seats' returns equal those of an earlier episode. */
export function isSum({ returned, penalised }: SharedEnd, places: readonly SeatPlace[]): boolean {
  for (let i = 0; i < places.length; i++) if (places[i]!.returned !== returned[i] || places[i]!.penalised !== penalised[i]) return false;
  return true;
}

/** The shared data of all episodes with the same seats: the paths of their random numbers, and zero for each of them. */
interface SharedBySeats {
  readonly seats: readonly Seat[];
  readonly paths: readonly DicePath[];
  readonly zeros: Sums;
}

/** The data for the most recent seats, because a rollout requests the same ones at every start and end. */
let latest: SharedBySeats = { seats: [], paths: [], zeros: {} };

function sharedBySeats(seats: readonly Seat[]): SharedBySeats {
  if (latest.seats !== seats) latest = { seats, paths: seats.map(seatPath), zeros: recordOf(seats, () => 0) };
  return latest;
}

/** A spread copies a literal faster, but a hash table more slowly. */
function copyOf(zeros: Sums, seats: readonly Seat[]): Sums {
  return seats.length > mostLiteralKeys ? recordOf(seats, () => 0) : { ...zeros };
}

export function checkReward(amount: number | undefined, { seat }: SeatPlace, what = 'reward'): void {
  if (!Number.isFinite(amount)) throw new Error(`The ${what} of seat "${seat}" must be a finite number, but is ${amount}.`);
}

export function checkPenalty(amount: number | undefined, place: SeatPlace): void {
  checkReward(amount, place, 'penalty');
  if (amount! < 0)
    throw new Error(`The penalty of seat "${place.seat}" is subtracted from its reward, so it must be 0 or more, but is ${amount}.`);
}
