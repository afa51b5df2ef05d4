/** @file How certain each rank in a Bradley–Terry table is: games are drawn anew, task by task, and rated again. */

import { Fault, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { quantile, resample } from '../statistics/bootstrap.ts';
import { checkLevel, type Interval } from '../statistics/mean.ts';
import { bradleyTerry, climb, infinite } from './bradley-terry.ts';
import { namesIn, type RatedGame, tally } from './rated-game.ts';

export interface RankOptions {
  readonly seed: Seed;
  readonly draws?: number;
  readonly level?: number;
  readonly ties?: 'half' | 'davidson';
  readonly anchor?: number;
}

export interface Ranked {
  readonly name: string;
  readonly rating: number;
  readonly interval: Interval;
  /** `places[k]` is how often this agent came out k + 1-th. */
  readonly places: readonly number[];
}

/** Strongest first. In draws where an agent wins or loses everything the weak prior keeps strengths finite. */
export function rankBootstrap(games: readonly RatedGame[], options: RankOptions): readonly Ranked[] {
  const { seed, draws = 1000, level = 0.95, anchor = 1000, ties = 'half' } = options;
  if (!(draws >= 20)) throw new Fault('input', `draws: expected at least 20, got ${draws}.`);
  const tail = (1 - checkLevel(level)) / 2;
  const fit = bradleyTerry(games, { ties, anchor });
  const names = namesIn(games);
  const units = [...Map.groupBy(games, (game) => game.task ?? game).values()];
  const dice = rng(seed, 'rank-bootstrap');
  const samples = names.map((): number[] => []);
  const places = names.map(() => names.map(() => 0));
  for (let draw = 0; draw < draws; draw++) {
    const counted = tally(resample(units, dice).flat(), names);
    const davidson = ties === 'davidson' && counted.meetings.some((meeting) => meeting.ties > 0);
    const { strengths } = climb(counted, { prior: infinite(counted, davidson) ? 1 : fit.prior, davidson });
    const order = strengths.map((_, i) => i).sort((i, j) => strengths[j] - strengths[i]);
    order.forEach((i, place) => {
      samples[i].push(anchor + (strengths[i] * 400) / Math.LN10);
      const row = places[i];
      row[place] = row[place] + 1 / draws;
    });
  }
  return fit.ratings.map(({ name, rating }) => {
    const i = names.indexOf(name);
    const sorted = samples[i].toSorted((x, y) => x - y);
    return { name, rating, interval: [quantile(sorted, tail), quantile(sorted, 1 - tail)], places: places[i] };
  });
}
