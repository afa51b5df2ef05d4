/** @file Decides who plays whom next: round robin (all pairs) and Swiss (near equals, rematches as late as possible). */

import { Fault, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { RatedGame } from './rated-game.ts';

/** First and second seat. */
export type SeatPairing = readonly [first: string, second: string];

/** The next Swiss round after the games so far; with an odd number, one of those that played most pauses, the weakest first. */
export function swissRound(names: readonly string[], games: readonly RatedGame[], seed: Seed): SeatPairing[] {
  check(names);
  const state = standing(names, games);
  // Those level on points are shuffled, so that no name is favoured.
  const ranked = rng(seed, 'swiss', games.length)
    .shuffle(names)
    .sort((a, b) => state.points(b) - state.points(a));
  if (ranked.length % 2 === 1) ranked.splice(ranked.indexOf(sitter(ranked, state)), 1);
  for (let allowed = 0; ; allowed++) {
    const matches = matchUp(ranked, (a, b) => state.met(a, b) <= allowed);
    if (matches !== null) return matches.map(([a, b]) => (state.firsts(a) <= state.firsts(b) ? [a, b] : [b, a]));
  }
}

interface Standing {
  points(name: string): number;
  played(name: string): number;
  firsts(name: string): number;
  met(a: string, b: string): number;
}

function standing(names: readonly string[], games: readonly RatedGame[]): Standing {
  const points = new Map(names.map((name) => [name, 0]));
  const played = new Map(points);
  const firsts = new Map(points);
  const met = new Map<string, number>();
  const bump = (counts: Map<string, number>, key: string, by: number) => counts.set(key, (counts.get(key) ?? 0) + by);
  const pairOf = (a: string, b: string) => JSON.stringify(a < b ? [a, b] : [b, a]);
  for (const { first, second, score } of games) {
    bump(points, first, score);
    bump(points, second, 1 - score);
    bump(played, first, 1);
    bump(played, second, 1);
    bump(firsts, first, 1);
    bump(met, pairOf(first, second), 1);
  }
  return {
    points: (name) => points.get(name) as number,
    played: (name) => played.get(name) as number,
    firsts: (name) => firsts.get(name) as number,
    met: (a, b) => met.get(pairOf(a, b)) ?? 0,
  };
}

function sitter(ranked: readonly string[], { played }: Standing): string {
  const most = Math.max(...ranked.map(played));
  return ranked.findLast((name) => played(name) === most) as string;
}

/**
 * Pairs each agent with the nearest below that is allowed, going back where one is left over; null where it is impossible (or takes too
 * long).
 */
function matchUp(ranked: readonly string[], allowed: (a: string, b: string) => boolean): SeatPairing[] | null {
  let tries = 0;
  const pairOff = (left: readonly string[]): SeatPairing[] | null => {
    const [first, ...others] = left;
    if (first === undefined) return [];
    for (const other of others) {
      if (!allowed(first, other)) continue;
      if (++tries > 10_000) return null;
      const rest = pairOff(others.filter((name) => name !== other));
      if (rest !== null) return [[first, other], ...rest];
    }
    return null;
  };
  return pairOff(ranked);
}

function check(names: readonly string[]): void {
  if (names.length < 2 || new Set(names).size < names.length)
    throw new Fault('input', `A pairing needs at least two different names, but got [${names.join(', ')}].`);
}
