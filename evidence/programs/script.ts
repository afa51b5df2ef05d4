/**
 * @file The mean return of a script, and how often it decides differently from the control script in the same situation.
 * Options: environment, script, control, task (JSON), seat, games, seed.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { type Comparison, castOf, compared, environmentOf, playOne, scriptOf } from './_play.ts';

export default async function run(options: ProgramOptions): Promise<Json> {
  const { script, control, games = 20, seed = 1 } = options;
  const environment = await environmentOf(String(options['environment']));
  const task = JSON.parse(String(options['task'] ?? '{}')) as Json;
  const seats = environment.seats(environment.task(task));
  const seat = String(options['seat'] ?? seats[0]);
  const count: Comparison = { different: 0, turns: 0 };
  const tested = compared(scriptOf(environment, String(script)), scriptOf(environment, String(control)), count);
  let sum = 0;
  for (let game = 0; game < Number(games); game++) {
    const { returns } = await playOne(environment, castOf(environment, task, seat, tested), task, Number(seed) * 1000 + game);
    sum += returns[seat] ?? 0;
  }
  return { return: sum / Number(games), ...count };
}
