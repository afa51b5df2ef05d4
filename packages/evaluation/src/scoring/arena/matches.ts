/**
 * @file Turns episodes into rated matches. A match is one seed played with the seats both ways round; the agent that took more over both
 * episodes wins it.
 *
 * One episode alone is mostly luck: in poker a good player may even win fewer hands than a bad one, and more chips. With the seats swapped
 * on the same seed both agents hold the same cards once, so luck cancels and the margin is what is left.
 */

import type { EpisodeRecord, Seat } from '@ludus-agents/kernel/internal/core/index';
import type { RatedGame } from '../ratings/rated-game.ts';
import type { Interval } from '../statistics/mean.ts';

/** An agent, and the average win of a trained player against it: a lower bound of its exploitability. */
export interface FoundExploit {
  readonly agent: string;
  readonly exploitability: number;
  readonly interval: Interval;
  /** The run of the player that found it. */
  readonly run: string;
}

/** It as a sentence. */
export function exploitWords({ agent, exploitability, interval: [low, high], run }: FoundExploit): string {
  return `${agent} loses at least ${exploitability.toFixed(3)} per episode to the policy learned in ${run} (95% ${low.toFixed(3)} to ${high.toFixed(3)}).`;
}

export interface ArenaGame {
  readonly first: string;
  readonly second: string;
  readonly seed: number;
  /** The margin of the first over the second, per episode. */
  readonly margin: number;
}

/** Matches of finished episodes between the agents named, in the order of their seeds; a match with an episode missing is left out. */
export function matchesOf(records: Iterable<EpisodeRecord>, agents: readonly string[]): readonly ArenaGame[] {
  const games = new Map<number, Game[]>();
  for (const { seed, cast, status, returns } of records) {
    const names = Object.values(cast);
    if ((status !== 'over' && status !== 'limit') || returns === null || !names.every((name) => agents.includes(name))) continue;
    const list = games.get(seed) ?? [];
    list.push({ cast, returns });
    games.set(seed, list);
  }
  const seeds = [...games.keys()].sort((a, b) => a - b);
  return seeds.flatMap((seed) => pairsOf(agents).flatMap((pair) => matchOf(games.get(seed) as Game[], pair, seed) ?? []));
}

interface Game {
  readonly cast: Readonly<Record<Seat, string>>;
  readonly returns: Readonly<Record<Seat, number>>;
}

function matchOf(games: readonly Game[], [first, second]: readonly [string, string], seed: number): ArenaGame | null {
  const alone = games.filter(({ cast }) => Object.keys(cast).length === 1);
  const mine = alone.find(({ cast }) => Object.values(cast)[0] === first);
  const theirs = alone.find(({ cast }) => Object.values(cast)[0] === second);
  if (mine !== undefined && theirs !== undefined) return { first, second, seed, margin: share(mine, first) - share(theirs, second) };
  const met = games.filter(({ cast }) => {
    const names = new Set(Object.values(cast));
    return names.size === 2 && names.has(first) && names.has(second);
  });
  if (met.length < 2) return null;
  return { first, second, seed, margin: met.reduce((sum, game) => sum + share(game, first) - share(game, second), 0) / met.length };
}

/** The mean return of the seats an agent had. */
function share({ cast, returns }: Game, agent: string): number {
  const seats = Object.keys(cast).filter((seat) => cast[seat] === agent);
  return seats.reduce((sum, seat) => sum + (returns[seat] ?? 0), 0) / seats.length;
}

export function pairsOf(agents: readonly string[]): (readonly [string, string])[] {
  return agents.flatMap((first, i) => agents.slice(i + 1).map((second) => [first, second] as const));
}

/** A match as a rated game. Margins that differ only by rounding are ties. */
export function toRatedGame({ first, second, seed, margin }: ArenaGame): RatedGame {
  return { first, second, score: Math.abs(margin) < 1e-9 ? 0.5 : margin > 0 ? 1 : 0, task: String(seed) };
}
