/**
 * @file Survival of a commons in which 0 to 5 of five players are greedy and the others fair, against the number of greedy players.
 * Options: labels ("true" or "shuffled"), seed.
 */

import { type Json, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { environmentOf, orderOf, playOne, scriptOf } from './_play.ts';

export default async function run({ labels = 'true', seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = await environmentOf('commons');
  const task = { talk: 0 };
  const seats = environment.seats(environment.task(task));
  const harvests = ['cautious', 'fair-share', 'take-11', 'take-12', 'take-13', 'take-15', 'take-20', 'greedy'];
  const totals: number[] = [];
  for (const harvest of harvests) {
    // One player may be greedier than the others, drawn by the seed.
    const odd = rng(Number(seed), harvest).int(seats.length);
    const agents = Object.fromEntries(
      seats.map((seat, i) => [seat, scripted('player', scriptOf(environment, i === odd ? 'take-12' : harvest))]),
    );
    const { returns } = await playOne(environment, agents, task, Number(seed));
    totals.push(Object.values(returns).reduce((sum, value) => sum + value, 0));
  }
  // From what is sustainable on, taking more yields less for all; being cautious yields less than being fair.
  const expected = [5.5, 8, 7, 6, 5, 4, 3, 2];
  return { order: orderOf(expected, totals, String(labels), Number(seed)), totals };
}
