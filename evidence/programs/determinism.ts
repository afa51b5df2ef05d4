/**
 * @file Can a run be repeated? Prints the share of site tasks whose second run has exactly the same log. Options: again ("same" seed or
 * "other"), seed.
 */

import { type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { environmentOf, mixed, playOne, scriptOf } from './_play.ts';

export default async function run({ again = 'same', seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = await environmentOf('sites');
  const agent = () => scripted('tested', mixed(scriptOf(environment, 'solver'), scriptOf(environment, 'random'), 0.2));
  let equal = 0;
  const tasks = 6;
  for (let i = 0; i < tasks; i++) {
    const seat = environment.seats(environment.task({}))[0];
    const play = async (at: number) => JSON.stringify((await playOne(environment, { [seat]: agent() }, {}, at)).events);
    const first = Number(seed) * 100 + i;
    if ((await play(first)) === (await play(again === 'same' ? first : first + 50))) equal++;
  }
  return { equal: equal / tasks };
}
