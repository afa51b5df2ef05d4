import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Action, type Agent, type EpisodeEvent, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { readTeamMind, teamAgent } from './agent.ts';
import { readTeam } from './settings.ts';

async function countsOf(protocol: string, answer: (turn: Turn) => Action) {
  const member = (name: string): Agent => scripted(name, Object.assign(answer, { speaks: true as const }));
  const members = { Ann: member('Ann'), Ben: member('Ben'), Cleo: member('Cleo') };
  const settings = readTeam({ name: 'team', kind: 'team', settings: { protocol, members: Object.keys(members), most: 12 } });
  const team = teamAgent({ name: 'team', settings, members, discussion: await builtInEnvironment('discussion') });
  const log: EpisodeEvent[] = [];
  const task = { ground: 'route', length: 3 };
  for await (const event of play(await builtInEnvironment('mission'), { team }, { seed: 7, task })) log.push(event);
  const mind = log.flatMap((event) => (event.kind === 'action' ? [readTeamMind(event.mind)] : [])).at(0);
  return { acted: mind?.acted ?? {}, speeches: mind?.discussion.filter(({ kind }) => kind === 'action').length ?? 0 };
}

describe('answers without the lines that were asked for', () => {
  it.each(['orchestrator', 'planner', 'plan-exchange', 'guidance', 'rounds'])('are counted under %s', async (protocol) => {
    const { acted, speeches } = await countsOf(protocol, () => ({ text: 'What a fine day at the sea' }));
    expect(acted['unlabeled']).toBeGreaterThan(0);
    expect(acted['unlabeled']).toBeLessThanOrEqual(speeches);
    expect(acted['noMove']).toBe(1);
  });

  it('are no advice under guidance', async () => {
    const { acted } = await countsOf('guidance', () => ({ text: 'What a fine day at the sea' }));
    expect(acted).toMatchObject({ advised: 0, changed: 0 });
  });

  it('are not counted if every answer has a line or a move', async () => {
    const { acted } = await countsOf('orchestrator', () => ({ text: 'Plan: work.\nFact: none.\nDone: yes\nAnswer: [hammer a]' }));
    expect(acted['unlabeled']).toBeUndefined();
    expect(acted['noMove']).toBeUndefined();
  });
});
