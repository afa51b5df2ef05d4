/**
 * @file What an environment measures when a script plays it: the mean over episodes of every measure in its hidden notes. Options:
 * environment, script, task (JSON), seat, games, seed.
 */

import { isObject, type Json } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { castOf, environmentOf, playOne, scriptOf } from './_play.ts';

export default async function run({ games = 20, seed = 1, ...options }: ProgramOptions): Promise<Json> {
  const environment = await environmentOf(String(options['environment']));
  const task = JSON.parse(String(options['task'] ?? '{}')) as Json;
  const seat = String(options['seat'] ?? environment.seats(environment.task(task))[0]);
  const agents = castOf(environment, task, seat, scriptOf(environment, String(options['script'])));
  const sums: Record<string, { sum: number; count: number }> = {};
  for (let game = 0; game < Number(games); game++) {
    const { events } = await playOne(environment, agents, task, Number(seed) * 1000 + game);
    const note = events.findLast((event) => event.kind === 'message' && event.to.length === 0 && isObject(event.data));
    const data = note?.kind === 'message' && isObject(note.data) ? note.data['measures'] : {};
    for (const [name, value] of Object.entries(isObject(data) ? data : {})) {
      sums[name] ??= { sum: 0, count: 0 };
      sums[name].sum += Number(value);
      sums[name].count++;
    }
  }
  return Object.fromEntries(Object.entries(sums).map(([name, { sum, count }]) => [name, sum / count]));
}
