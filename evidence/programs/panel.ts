/**
 * @file A dose panel: the same script at error rates from 0 to 1, ranked by an environment's return. A benchmark is valid if the
 * ranking matches the error rates. The control shuffles the labels of the same returns.
 *
 * Options: environment, script, worse (what an error plays: "random" or a script), task, seat (or "all"), doses, games, labels ("true"
 * or "shuffled"), seed.
 */

import { type Agent, type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { castOf, environmentOf, orderOf, playOne, scriptOf } from './_play.ts';
import { type Stage, scripts } from './_stages.ts';

export default async function run(options: ProgramOptions, stage = scripts): Promise<Json> {
  const { seed = 1, labels = 'true', doses = '0,0.1,0.2,0.4,0.7,1', ...rest } = options;
  const numbers = String(doses).split(',').map(Number);
  const means = await stage.once(JSON.stringify({ seed, doses, ...rest }), () => meansOf({ seed, ...rest }, numbers, stage));
  // Nothing is ordered where all do equally well.
  const order = new Set(means).size === 1 ? 0 : -orderOf(numbers, means, String(labels), Number(seed));
  return { order, means };
}

/** The mean return at each error rate. */
async function meansOf(options: ProgramOptions, doses: readonly number[], stage: Stage): Promise<readonly number[]> {
  const { script, worse = 'random', games = 10, seed = 1 } = options;
  const environment = await environmentOf(String(options['environment']));
  const task = JSON.parse(String(options['task'] ?? '{}')) as Json;
  const seats = environment.seats(environment.task(task));
  const wanted = String(options['seat'] ?? seats[0]);
  const seat = wanted === 'all' ? seats[0] : wanted;
  const means: number[] = [];
  for (const dose of doses) {
    const agent = erring(
      stage.player(scripted('tested', scriptOf(environment, String(script)))),
      scripted('worse', scriptOf(environment, String(worse))),
      dose,
    );
    const usual = castOf(environment, task, seat, scriptOf(environment, String(script)));
    const cast = Object.fromEntries(seats.map((name) => [name, wanted === 'all' || name === seat ? agent : usual[name]]));
    const returns = await forEachOf(
      Array.from({ length: Number(games) }),
      async (_, game) => (await playOne(environment, cast, task, Number(seed) * 1000 + game)).returns[seat] ?? 0,
    );
    means.push(meanOrZero(returns));
  }
  return means;
}

/** An agent that acts like another one at the given share of its turns. */
function erring(agent: Agent, other: Agent, share: number): Agent {
  return { name: agent.name, act: (turn, signal) => (turn.rng.next() < share ? other : agent).act(turn, signal) };
}
