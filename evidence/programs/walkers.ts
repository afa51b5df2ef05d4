/**
 * @file Walkers with different goals on maps that were not used in training. Options: by ("trained": the recipe learn-to-follow; "way":
 * each follows its planned way without looking; "follower": its way around visible walkers; "planner": one planner that sees and moves
 * all), agents, games, seed. Prints the goals per walker and episode, and the number of training games.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { opponentBy } from '@ludus-agents/learning/internal/training/seat-policies';
import type { ProgramOptions } from '../arms.ts';
import { freshLogs, learned, paidTo } from './_learned.ts';
import { environmentOf } from './_play.ts';

const sights: Readonly<Record<string, string>> = { follower: 'near', planner: 'all' };
const scripts: Readonly<Record<string, string>> = { way: 'stubborn' };

export default async function run({
  by = 'trained',
  agents = 12,
  size = 16,
  trained = 600,
  games = 40,
  seed = 1,
}: ProgramOptions): Promise<Json> {
  const who = String(by);
  const map = { size, agents, density: 0.3, steps: 32 };
  const task = { ...map, sight: sights[who] ?? 'way', stride: 0, split: 'held-out', window: 1 };
  const settings = [
    `training.task=${JSON.stringify({ ...map, sight: 'way', stride: 0.3, split: 'train', window: 1 })}`,
    `training.games=${trained}`,
  ];
  const environment = await environmentOf('pathfinding');
  const policy =
    who === 'trained' ? (await learned('learn-to-follow', settings, Number(seed))).policy() : opponentBy(scripts[who] ?? who, environment);
  const { window: _, ...whole } = task;
  const played = who === 'trained' ? task : whole;
  const seats = environment.seats(environment.task(played));
  const cast = Object.fromEntries(seats.map((seat) => [seat, policy]));
  const logs = await freshLogs(environment, cast, { task: played, seed: Number(seed), games: Number(games) });
  return { goals: paidTo(logs, seats), trained: who === 'trained' ? trained : 0 };
}
