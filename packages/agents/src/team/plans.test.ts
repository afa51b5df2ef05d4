/** @file What a team keeps and whom it asks: a plan that stays until progress changes it (CaPo), and a person who may look at each candidate. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Agent, AnyEnvironment, EpisodeEvent, Json, Turn } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { createAgentLoader } from '../kinds.ts';
import { readTeamMind, type TeamMind } from './agent.ts';

const rooms = ['[1]', '[2]', '[3]', '[4]'];

/** Four rooms, four turns: each room that is seen pays a quarter. The third turn says that room 4 is locked, if it is. */
const house = (locked: boolean): AnyEnvironment => ({
  id: 'house@1',
  about: { summary: 'Rooms.', tasks: [{}], turns: 4 },
  parameters: {},
  task: () => ({}),
  seats: () => ['carriers'],
  start: () => ({
    state: { seen: [] },
    messages: [{ to: ['carriers'], text: 'See all rooms.' }],
    asks: [{ seat: 'carriers', choices: rooms }],
  }),
  step({ seen }: { seen: readonly string[] }, actions: Readonly<Record<string, { text: string }>>) {
    const now = [...seen, actions['carriers']?.text ?? ''];
    const text = locked && now.length === 2 ? 'Room 4 is locked.' : 'Nothing new.';
    const rewards = { rewards: { carriers: new Set(now).size / 4 } };
    const rest = now.length === 4 ? { asks: [], ...rewards } : { asks: [{ seat: 'carriers', choices: rooms }] };
    return { state: { seen: now }, messages: [{ to: ['carriers'], text }], ...rest };
  },
});

type Says = (observation: string, texts: readonly string[], turn: Turn) => string;

function member(name: string, says: Says): Agent {
  return {
    name,
    speaks: true,
    act(turn) {
      const texts = turn.view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
      return { action: { text: says(texts.at(-1) ?? '', texts, turn) } };
    },
  };
}

async function minds(
  environment: AnyEnvironment,
  members: Readonly<Record<string, Agent>>,
  settings: Readonly<Record<string, Json>>,
): Promise<{ readonly minds: readonly TeamMind[]; readonly paid: number; readonly moves: readonly string[] }> {
  const load = createAgentLoader({ environment: builtInEnvironment, own: async (name) => members[name.slice(2)] });
  const [seat = ''] = environment.seats({});
  const spec = {
    name: 'team',
    kind: 'team',
    settings: { members: Object.keys(members).map((name) => ({ name, kind: `./${name}` })), ...settings },
  };
  const log: EpisodeEvent[] = [];
  for await (const event of play(environment, { [seat]: await load(spec as never, seat, environment) }, { seed: 1 })) log.push(event);
  const end = log.at(-1);
  expect(end).toMatchObject({ kind: 'end', reason: 'over' });
  expect(replay(environment, log)).toBeNull();
  const acts = log.flatMap((event) => (event.kind === 'action' ? [event] : []));
  return {
    minds: acts.map(({ mind }) => readTeamMind(mind) as TeamMind),
    moves: acts.map(({ action }) => action.text),
    paid: end?.kind === 'end' ? (end.returns[seat] ?? 0) : 0,
  };
}

const speeches = ({ discussion }: TeamMind) => discussion.filter((event) => event.kind === 'action').length;

describe('shared plan', () => {
  /** Walks a plan that it is shown; without one it goes to the first room, as one who remembers nothing does. */
  const lead =
    (writes: boolean): Says =>
    (observation, texts, { view }) => {
      const turn = view.seen.filter((item) => item.kind === 'action' && rooms.includes(item.action.text)).length;
      const isLocked = texts.includes('Room 4 is locked.');
      if (observation.startsWith('The plan of the team')) {
        const [, ...walk] = /The plan of the team: (\S+) (\S+) (\S+) (\S+)/.exec(observation) ?? [];
        return `${isLocked && walk[3] === '[4]' ? 'Progress: yes, room 4 is locked.\n' : ''}Answer: ${walk[turn]}`;
      }
      const plan = isLocked ? '[1] [2] [3] [2]' : '[1] [2] [3] [4]';
      return `${writes ? `Plan: ${plan}\n` : ''}Answer: ${writes ? plan.split(' ')[turn] : '[1]'}`;
    };
  const judge = member('judge', () => 'Agree: yes');
  const settings = { protocol: 'plan-exchange' };

  it('persists across turns, so only the first turn is discussed', async () => {
    const { minds: teamMinds, moves, paid } = await minds(house(false), { lead: member('lead', lead(true)), judge }, settings);
    expect([moves, paid]).toEqual([rooms, 1]);
    expect(teamMinds.map(speeches)).toEqual([2, 1, 1, 1]);
    // A policy, which cannot judge, does not object.
    const policy: Agent = { name: 'policy', act: () => ({ action: { text: '[1]' } }) };
    const { minds: mixed } = await minds(house(false), { lead: member('lead', lead(true)), judge, policy }, settings);
    expect(mixed.map(speeches)).toEqual([3, 1, 1, 1]);
  });

  it('is discussed again once when progress changes it', async () => {
    const { minds: teamMinds } = await minds(house(true), { lead: member('lead', lead(true)), judge }, settings);
    expect(teamMinds.map(({ memory }) => memory['version'])).toEqual([1, 1, 2, 2]);
    expect(teamMinds.map(speeches)).toEqual([2, 1, 3, 1]);
  });

  it('matters: a lead that writes no plan repeats the same move', async () => {
    const { moves, paid, minds: teamMinds } = await minds(house(false), { lead: member('lead', lead(false)), judge }, settings);
    expect([new Set(moves).size, paid]).toEqual([1, 0.25]);
    expect(teamMinds.map(speeches)).toEqual([2, 2, 2, 2]);
  });
});

describe('human review in a refinement loop', () => {
  const shop: AnyEnvironment = {
    id: 'shop@1',
    about: { summary: 'A picture.', tasks: [{}], turns: 1 },
    parameters: {},
    task: () => ({}),
    seats: () => ['maker'],
    start: () => ({ state: {}, messages: [{ to: ['maker'], text: 'A fox.' }], asks: [{ seat: 'maker' }] }),
    step: (state: object) => ({ state, messages: [], asks: [] }),
  };
  const crew = (...wishes: readonly string[]) => {
    let [madeCount, requestCount] = [0, 0];
    return {
      reader: member('reader', () => 'A fox in a wood.'),
      maker: member('maker', (_, texts) => `Answer: fox ${++madeCount}${texts.includes('in winter') ? ' in winter' : ''}`),
      critic: member('critic', () => `Score: ${madeCount === 1 ? 9 : 6}`),
      Pat: member('Pat', () => wishes[requestCount++] ?? ''),
    };
  };
  const answer = async (person: boolean, ...wishes: readonly string[]) => {
    const { minds: teamMinds } = await minds(shop, crew(...wishes), { protocol: 'refine', ...(person ? { person: 'Pat' } : {}) });
    return teamMinds[0]?.result['answer'];
  };

  it('can request changes to a well-rated candidate and accept the result', async () => {
    expect(await answer(true, 'in winter', 'keep')).toBe('fox 2 in winter');
  });

  it('can defer to the ratings, and is skipped without a reviewer', async () => {
    expect(await answer(true, 'leave')).toBe('fox 1');
    expect(await answer(true, '')).toBe('fox 1');
    expect(await answer(false, 'in winter', 'keep')).toBe('fox 1');
  });
});
