/**
 * @file The grounds of `_grounds.ts` with the same number of calls for all protocols. Where an episode is one turn, a team that has calls
 * left starts the turn again, its last attempt ends when the calls are spent, and the most frequent answer counts. Where there is a clock,
 * nothing but the clock or the finished task ends an episode.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { readTeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { plurality } from '@ludus-agents/environments/internal/discussion/protocol';
import { type Agent, type EpisodeEvent, type Json, rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { type Ground, type GroundPlay, playGround } from './_grounds.ts';

export interface EqualGround extends Ground {
  /** The calls that every protocol spends on the one turn of an episode. Without it, the clock of the task is the budget. */
  readonly calls?: number;
}

const filesOf = (calls: number): EqualGround => ({
  ...{ name: `members know different things, ${calls} calls`, most: calls, calls },
  task: { ground: 'files', length: 4, files: 3 },
});

export const equalGrounds: readonly EqualGround[] = [
  ...[6, 12, 24].map(filesOf),
  // A move and an answer of a member cost one tick each. With this slack, the clock runs out before the moves do.
  {
    ...{ name: 'a plan must survive setbacks', most: 12, settings: { ticks: 1 } },
    task: { length: 8, storms: 1, blocked: 0.3, clock: 48, slack: 40 },
  },
  {
    ...{ name: 'time costs', most: 12, settings: { ticks: 2 } },
    task: { length: 10, storms: 0, blocked: 0.2, visible: 100, clock: 40, slack: 30 },
  },
];

/** One episode of a ground by three speakers under a protocol. */
export async function playEqually(ground: EqualGround, seed: number, settings: { readonly [name: string]: Json }): Promise<GroundPlay> {
  const { calls } = ground;
  if (calls === undefined) return playGround(ground, seed, settings);
  const environment = await builtInEnvironment('mission');
  const discussion = await builtInEnvironment('discussion');
  const load = createAgentLoader({ environment: builtInEnvironment });
  const names = ['Ann', 'Ben', 'Cleo'];
  const speakers = await Promise.all(names.map((name) => load({ name, kind: 'scripted:speaker' }, 'team', environment)));
  const members = Object.fromEntries(names.map((name, i) => [name, speakers[i]]));
  let speeches = 0;
  const acted: Record<string, number> = {};
  const team: Agent = {
    name: 'team',
    async act(turn: Turn, signal) {
      const answers: string[] = [];
      while (speeches < calls) {
        const spec = { name: 'team', kind: 'team', settings: { members: names, ...settings, most: calls - speeches } };
        const attempt = teamAgent({ name: 'team', settings: readTeam(spec), members, discussion });
        const { action, mind } = await attempt.act({ ...turn, rng: rng(seed, 'attempt', answers.length) }, signal);
        const { discussion: log = [], acted: counts = {} } = readTeamMind(mind) ?? {};
        answers.push(action.text);
        speeches += log.filter(({ kind }) => kind === 'action').length;
        for (const [name, count] of Object.entries(counts)) acted[name] = (acted[name] ?? 0) + count;
      }
      return { action: { text: plurality(answers.filter((text) => text !== '')).answer } };
    },
  };
  let paid = 0;
  for await (const event of play(environment, { team }, { seed, task: ground.task }) as AsyncIterable<EpisodeEvent>)
    if (event.kind === 'end') {
      if (event.reason !== 'over') throw new Error(event.fault?.message ?? event.reason);
      paid = event.returns['team'] ?? 0;
    }
  return { paid, speeches, acted };
}
