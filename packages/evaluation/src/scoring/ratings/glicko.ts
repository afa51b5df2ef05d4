/** @file Glicko-2 (Glickman 2013): a rating, how sure it is, and how erratic its owner is, moved period by period. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { normalQuantile } from '../statistics/distributions.ts';
import { checkLevel, type Interval } from '../statistics/mean.ts';
import { checkRatedGame, type RatedGame } from './rated-game.ts';

export interface Glicko {
  readonly rating: number;
  readonly deviation: number;
  readonly volatility: number;
}

export const glickoStart: Glicko = { rating: 1500, deviation: 350, volatility: 0.06 };

const scale = 173.7178;

/** Rates one period: all games in it count as played at once, from the ratings before it. Agents that did not play become less certain. */
export function glickoPeriod(before: ReadonlyMap<string, Glicko>, games: readonly RatedGame[], tau = 0.5): Map<string, Glicko> {
  const results = new Map<string, GlickoGame[]>([...before.keys()].map((name) => [name, []]));
  const of = (name: string) => before.get(name) ?? glickoStart;
  for (const game of games) {
    checkRatedGame(game);
    for (const [name, against, score] of [
      [game.first, game.second, game.score],
      [game.second, game.first, 1 - game.score],
    ] as const) {
      const list = results.get(name) ?? [];
      list.push({ against: of(against), score });
      results.set(name, list);
    }
  }
  return new Map([...results].map(([name, list]) => [name, glickoUpdate(of(name), list, tau)]));
}

export interface GlickoGame {
  readonly against: Glicko;
  readonly score: number;
}

/** One agent's rating after one period; `tau` bounds how fast volatility may change (0.3 to 1.2). */
export function glickoUpdate(glicko: Glicko, games: readonly GlickoGame[], tau = 0.5): Glicko {
  if (!(tau > 0)) throw new Fault('input', `Glicko's tau must be above 0, but got ${tau}.`);
  const mu = (glicko.rating - 1500) / scale;
  const phi = glicko.deviation / scale;
  if (games.length === 0) return { ...glicko, deviation: scale * Math.hypot(phi, glicko.volatility) };
  let information = 0;
  let lead = 0;
  for (const { against, score } of games) {
    const weight = 1 / Math.sqrt(1 + (3 * (against.deviation / scale) ** 2) / Math.PI ** 2);
    const expected = 1 / (1 + Math.exp(-weight * (mu - (against.rating - 1500) / scale)));
    information += weight ** 2 * expected * (1 - expected);
    lead += weight * (score - expected);
  }
  const variance = 1 / information;
  const volatility = newVolatility({ own: glicko, phi, variance, delta: variance * lead, tau });
  const sure = 1 / Math.sqrt(1 / (phi ** 2 + volatility ** 2) + information);
  return { rating: 1500 + scale * (mu + sure ** 2 * lead), deviation: scale * sure, volatility };
}

export function glickoInterval({ rating, deviation }: Glicko, level = 0.95): Interval {
  const half = normalQuantile(0.5 + checkLevel(level) / 2) * deviation;
  return [rating - half, rating + half];
}

interface Move {
  readonly own: Glicko;
  readonly phi: number;
  readonly variance: number;
  readonly delta: number;
  readonly tau: number;
}

/** Step 5 of the paper: the root of its f, by the Illinois method. */
function newVolatility({ own, phi, variance, delta, tau }: Move): number {
  const a = Math.log(own.volatility ** 2);
  const f = (x: number) => {
    const e = Math.exp(x);
    const total = phi ** 2 + variance + e;
    return (e * (delta ** 2 - total)) / (2 * total ** 2) - (x - a) / tau ** 2;
  };
  let low = a;
  let high = Math.log(delta ** 2 - phi ** 2 - variance);
  if (!(delta ** 2 > phi ** 2 + variance)) {
    let k = 1;
    while (f(a - k * tau) < 0) k++;
    high = a - k * tau;
  }
  let atLow = f(low);
  let atHigh = f(high);
  while (Math.abs(high - low) > 1e-10) {
    const middle = low + ((low - high) * atLow) / (atHigh - atLow);
    const value = f(middle);
    if (value * atHigh <= 0) {
      low = high;
      atLow = atHigh;
    } else atLow /= 2;
    high = middle;
    atHigh = value;
  }
  return Math.exp(low / 2);
}
