/**
 * @file Three grounds on which protocols of teams differ, played by members without a language model: members know different things, a plan
 * must survive setbacks, and time costs.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { readTeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Agent, EpisodeEvent, Json } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';

export interface Ground {
  readonly name: string;
  readonly task: Json;
  /** Speeches of members in one turn at most, the same for all protocols. */
  readonly most: number;
  readonly settings?: { readonly [name: string]: Json };
}

export const grounds: readonly Ground[] = [
  { name: 'members know different things', task: { ground: 'files', length: 4, files: 3 }, most: 12 },
  // The clock is a budget: a move and an answer of a member cost one each, so that every protocol has the same number of calls.
  { name: 'a plan must survive setbacks', task: { length: 8, storms: 1, blocked: 0.3, clock: 60 }, most: 12, settings: { ticks: 1 } },
  { name: 'time costs', task: { length: 10, storms: 0, blocked: 0.2, visible: 100, clock: 40 }, most: 12, settings: { ticks: 2 } },
];

/** A ground for fast and slow minds: what is wanted is told once and soon out of sight, and every answer takes time. */
export const paceGround: Ground = {
  ...{ name: 'an intention and a clock', most: 12 },
  task: { length: 10, storms: 0, blocked: 0.2, visible: 5, clock: 60, slack: 40 },
};

export interface GroundPlay {
  readonly paid: number;
  readonly speeches: number;
  readonly acted: { readonly [mechanism: string]: number };
}

/** One episode of a ground by three speakers under a protocol. */
export async function playGround(
  { task, most, settings: usual }: Ground,
  seed: number,
  settings: { readonly [name: string]: Json },
  player = (script: Agent): Agent => script,
): Promise<GroundPlay> {
  const environment = await builtInEnvironment('mission');
  const load = createAgentLoader({ environment: builtInEnvironment });
  const names = ['Ann', 'Ben', 'Cleo'];
  const speakers = await Promise.all(names.map((name) => load({ name, kind: 'scripted:speaker' }, 'team', environment)));
  const members = Object.fromEntries(names.map((name, i) => [name, player(speakers[i])]));
  const spec = { name: 'team', kind: 'team', settings: { members: names, most, ...usual, ...settings } };
  const team = teamAgent({ name: 'team', settings: readTeam(spec), members, discussion: await builtInEnvironment('discussion') });
  let [payment, speeches]: [number, number] = [0, 0];
  let acted: GroundPlay['acted'] = {};
  for await (const event of play(environment, { team }, { seed, task }) as AsyncIterable<EpisodeEvent>) {
    if (event.kind === 'action') {
      const mind = readTeamMind(event.mind);
      speeches += mind?.discussion.filter(({ kind }) => kind === 'action').length ?? 0;
      acted = mind?.acted ?? acted;
    }
    if (event.kind === 'end') {
      if (event.reason !== 'over') throw new Error(event.fault?.message ?? event.reason);
      payment = event.returns['team'] ?? 0;
    }
  }
  return { paid: payment, speeches, acted };
}
