/**
 * @file Elo: a rating that moves after every game. It depends on their order, so it is for live display; the spread over orders is shown.
 */

import { Fault, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { quantile, resample } from '../statistics/bootstrap.ts';
import { checkLevel, type Interval } from '../statistics/mean.ts';
import { checkRatedGame, type RatedGame } from './rated-game.ts';

export interface EloOptions {
  /** The most a game can move a rating. */
  readonly k?: number;
  readonly start?: number;
}

export function elo(games: readonly RatedGame[], { k = 32, start = 1000 }: EloOptions = {}): Map<string, number> {
  if (!(k > 0)) throw new Fault('input', `Elo's k must be above 0, but got ${k}.`);
  const ratings = new Map<string, number>();
  for (const game of games) {
    checkRatedGame(game);
    const first = ratings.get(game.first) ?? start;
    const second = ratings.get(game.second) ?? start;
    const change = k * (game.score - eloExpected(first, second));
    ratings.set(game.first, first + change);
    ratings.set(game.second, second - change);
  }
  return ratings;
}

/** The expected score of the first against the second. */
function eloExpected(first: number, second: number): number {
  return 1 / (1 + 10 ** ((second - first) / 400));
}

export interface EloSpread extends EloOptions {
  readonly seed: Seed;
  readonly draws?: number;
  readonly level?: number;
}

/** Between which ratings an agent ends when the games are drawn anew and come in another order. */
export function eloIntervals(
  games: readonly RatedGame[],
  { seed, draws = 500, level = 0.95, ...options }: EloSpread,
): Map<string, Interval> {
  if (!(draws >= 20)) throw new Fault('input', `draws: expected at least 20, got ${draws}.`);
  const tail = (1 - checkLevel(level)) / 2;
  const dice = rng(seed, 'elo');
  const sample = new Map<string, number[]>([...elo(games, options).keys()].map((name) => [name, []]));
  for (let draw = 0; draw < draws; draw++) for (const [name, rating] of elo(resample(games, dice), options)) sample.get(name)?.push(rating);
  const intervals = new Map<string, Interval>();
  for (const [name, list] of sample) {
    const sorted = list.toSorted((x, y) => x - y);
    intervals.set(name, [quantile(sorted, tail), quantile(sorted, 1 - tail)]);
  }
  return intervals;
}
