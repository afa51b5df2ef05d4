/**
 * @file Game testing in the style of demonstrations: a maze in which demonstrators run to the goal, and an explorer with a budget of
 * episodes. Options: style ("goal", "none", or "other"), seed. Prints the share of places on the demonstrated routes that the explorer
 * visits.
 */

import { explorer, learnStyle } from '@ludus-agents/agents/internal/explorer';
import { type Agent, type EpisodeEvent, type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { environmentOf, playOne, scriptOf } from './_play.ts';

const task = { map: '8x8', steady: 1, steps: 20 };
const episodes = 12;

export default async function run({ style = 'goal', seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = await environmentOf('frozen-lake');
  const seat = environment.seats(environment.task(task))[0];
  const playWith = async (agent: Agent, from: number, count: number) => {
    const logs: (readonly EpisodeEvent[])[] = [];
    for (let i = 0; i < count; i++) logs.push((await playOne(environment, { [seat]: agent }, task, from + i)).events);
    return logs;
  };
  const demonstrated = await playWith(scripted('optimal', scriptOf(environment, 'optimal')), Number(seed) * 1000, 5);
  const other = await playWith(scripted('random', scriptOf(environment, 'random')), Number(seed) * 1000 + 50, 5);
  const visible = style === 'none' ? [] : style === 'goal' ? demonstrated : other;
  const tested = explorer('explorer', { style: learnStyle(visible), novelty: 1, likeness: style === 'none' ? 0 : 1 });
  const explored = await playWith(tested, Number(seed) * 1000 + 100, episodes);
  const wanted = placesIn(demonstrated);
  const visited = placesIn(explored);
  return { visited: [...wanted].filter((place) => visited.has(place)).length / wanted.size, likeness: style === 'none' ? 0 : episodes };
}

/** Places by what the environment says of them. */
function placesIn(logs: readonly (readonly EpisodeEvent[])[]): ReadonlySet<string> {
  return new Set(logs.flatMap((log) => log.flatMap((event) => (event.kind === 'message' ? [event.text] : []))));
}
