/**
 * @file Look-ahead in a game with open rules, against random opponents. Options: environment, settings (JSON of a search agent, or
 * "none" for random moves), task, games, seed. Prints the mean return, and the number of moves tried per move.
 */

import { searchAgent } from '@ludus-agents/agents/internal/search/agent';
import { readSearch } from '@ludus-agents/agents/internal/search/settings';
import { type Agent, type Json, type JsonObject, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { environmentOf, playOne, scriptOf } from './_play.ts';

export default async function run(options: ProgramOptions): Promise<Json> {
  const { games = 10, seed = 1, settings = 'none' } = options;
  const environment = await environmentOf(String(options['environment']));
  const task = JSON.parse(String(options['task'] ?? '{}')) as Json;
  const [seat = '', ...others] = environment.seats(environment.task(task));
  const random = () => scripted('random', scriptOf(environment, 'random'));
  let tried = 0;
  let sum = 0;
  for (let game = 0; game < Number(games); game++) {
    const agent =
      settings === 'none'
        ? random()
        : countMoves(searcher(environment.id, JSON.parse(String(settings)) as JsonObject), (moves) => (tried += moves));
    const agents = { [seat]: agent, ...Object.fromEntries(others.map((other) => [other, random()])) };
    sum += (await playOne(environment, agents, task, Number(seed) * 1000 + game)).returns[seat] ?? 0;
  }
  return { return: sum / Number(games), tried };
}

function searcher(environment: string, settings: JsonObject): Agent {
  const agent = searchAgent({
    name: 'search',
    environment,
    settings: readSearch({ name: 'search', kind: 'search', settings }),
    base: undefined,
  });
  return { ...agent, looksAhead: true };
}

/** The agent, telling how many moves it weighed at each turn. */
function countMoves(agent: Agent, tell: (moves: number) => void): Agent {
  return {
    ...agent,
    async act(turn, signal, simulator) {
      const reply = await agent.act(turn, signal, simulator);
      tell(((reply.mind as { readonly moves?: readonly unknown[] } | undefined)?.moves ?? []).length);
      return reply;
    },
  };
}
