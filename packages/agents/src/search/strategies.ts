/** @file Other search strategies: compare moves by continuations, keep a beam of the best positions, or search everything. */

import { Fault, type Position, type Rng, type Seat, type Simulator } from '@ludus-agents/kernel/internal/core/index';
import { advance, moverIn, playOut, type TriedMove } from './positions.ts';
import type { SearchSettings } from './settings.ts';

type Source = Pick<Simulator, 'seat' | 'sample'>;

/** Each move gets its share of the continuations. Its value is their mean, because the best of many single ones would be luck. */
export function bestOfMany(
  simulator: Source,
  moves: readonly string[],
  { simulations, depth }: SearchSettings,
  rng: Rng,
): readonly TriedMove[] {
  const each = Math.max(1, Math.floor(simulations / moves.length));
  return moves.map((move) => {
    let sum = 0;
    for (let i = 0; i < each; i++) {
      const after = advance(simulator.sample(rng), simulator.seat, move, rng);
      sum += playOut(after, simulator.seat, depth - 1, rng)[simulator.seat] ?? 0;
    }
    return { move, visits: each, value: sum / each };
  });
}

interface Path {
  readonly position: Position;
  readonly first: string;
  readonly value: number;
}

/**
 * Keeps the `width` positions with the highest reward for the seat so far, move by move; equal positions are kept once. For a single
 * planning seat: other seats move at random. The value of a move is the best result of a path that begins with it.
 */
export function beam(simulator: Source, { simulations, depth, width }: SearchSettings, rng: Rng): readonly TriedMove[] {
  const best = new Map<string, TriedMove>();
  const note = ({ first, value }: Path) => {
    const triedMove = best.get(first);
    best.set(first, {
      move: first,
      visits: (triedMove?.visits ?? 0) + 1,
      value: Math.max(triedMove?.value ?? Number.NEGATIVE_INFINITY, value),
    });
  };
  const root = simulator.sample(rng);
  let paths: readonly Path[] = [{ position: root, first: '', value: 0 }];
  let looked = 0;
  for (let step = 0; step < depth && paths.length > 0 && looked < simulations; step++) {
    const next = new Map<string, Path>();
    for (const { position, first } of paths) {
      const mover = moverIn(position, simulator.seat);
      for (const move of mover?.choices ?? []) {
        looked++;
        const after = advance(position, (mover as { seat: Seat }).seat, move, rng);
        const path = { position: after, first: first === '' ? move : first, value: after.returns[simulator.seat] ?? 0 };
        const key = after.key();
        if (after.asks.length === 0) note(path);
        else if ((next.get(key)?.value ?? Number.NEGATIVE_INFINITY) < path.value) next.set(key, path);
      }
    }
    // Ties are broken at random, so that the beam does not favor moves listed first.
    paths = rng
      .shuffle([...next.values()])
      .sort((a, b) => b.value - a.value)
      .slice(0, width);
  }
  for (const path of paths) note(path);
  return [...best.values()];
}

/** The values of positions for each seat under best play of all seats, by key. */
export type Worths = Map<string, Readonly<Record<Seat, number>>>;

/** Searches everything; throws if there are more than `most` positions. For games without chance and hidden information. */
export function exactly(simulator: Source, most: number, worths: Worths, rng: Rng): readonly TriedMove[] {
  const root = simulator.sample(rng);
  const { choices = [], seat = '' } = moverIn(root, simulator.seat) ?? {};
  const before = worths.size;
  const worth = (position: Position): Readonly<Record<Seat, number>> => {
    const mover = moverIn(position, simulator.seat);
    if (mover?.choices === undefined || mover.choices.length === 0) return zero(position);
    const key = position.key();
    const match = worths.get(key);
    if (match !== undefined) return match;
    if (worths.size - before >= most)
      throw new Fault('input', `There are more than ${most} positions to search. Raise "simulations", or choose the strategy "mcts".`, {
        code: 'E_TOO_LARGE',
      });
    let best: Readonly<Record<Seat, number>> | null = null;
    for (const move of mover.choices) {
      const value = after(position, mover.seat, move);
      if (best === null || (value[mover.seat] ?? 0) > (best[mover.seat] ?? 0)) best = value;
    }
    worths.set(key, best as Readonly<Record<Seat, number>>);
    return best as Readonly<Record<Seat, number>>;
  };
  const after = (position: Position, mover: Seat, move: string): Readonly<Record<Seat, number>> => {
    const next = advance(position, mover, move, rng);
    const later = worth(next);
    return Object.fromEntries(
      Object.keys(next.returns).map((item) => [item, (next.returns[item] ?? 0) - (position.returns[item] ?? 0) + (later[item] ?? 0)]),
    );
  };
  return choices.map((move) => ({ move, visits: 1, value: after(root, seat, move)[simulator.seat] ?? 0 }));
}

function zero({ returns }: Position): Readonly<Record<Seat, number>> {
  return Object.fromEntries(Object.keys(returns).map((seat) => [seat, 0]));
}
