/**
 * @file A dose panel: the same script at error rates from 0 to 1, ranked by an environment's return. A benchmark is valid if the
 * ranking matches the error rates. The control shuffles the labels of the same returns.
 *
 * Options: environment, script, worse (what an error plays: "random" or a script), task, seat (or "all"), doses, games, labels ("true"
 * or "shuffled"), seed.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { castOf, environmentOf, mixed, orderOf, playOne, scriptOf } from './_play.ts';

export default async function run(options: ProgramOptions): Promise<Json> {
  const { script, worse = 'random', games = 10, seed = 1, labels = 'true' } = options;
  const environment = await environmentOf(String(options['environment']));
  const task = JSON.parse(String(options['task'] ?? '{}')) as Json;
  const seats = environment.seats(environment.task(task));
  const wanted = String(options['seat'] ?? seats[0]);
  const seat = wanted === 'all' ? seats[0] : wanted;
  const doses = String(options['doses'] ?? '0,0.1,0.2,0.4,0.7,1')
    .split(',')
    .map(Number);
  const means: number[] = [];
  for (const dose of doses) {
    const agent = mixed(scriptOf(environment, String(script)), scriptOf(environment, String(worse)), dose);
    let sum = 0;
    for (let game = 0; game < Number(games); game++)
      sum +=
        (await playOne(environment, castOf(environment, task, wanted === 'all' ? null : seat, agent), task, Number(seed) * 1000 + game))
          .returns[seat] ?? 0;
    means.push(sum / Number(games));
  }
  return { order: -orderOf(doses, means, String(labels), Number(seed)), means };
}
