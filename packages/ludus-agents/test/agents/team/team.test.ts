/** @file Teams on a seat: tasks that one member can't do alone, exact logs, budgets, forks, and rejected input. */

import { callsInTurn, modelsOfSpec } from '@ludus-agents/agents/internal/kind-rules';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { readTeamMind, type TeamMind } from '@ludus-agents/agents/internal/team/agent';
import { readTeam, teamOfLanguage } from '@ludus-agents/agents/internal/team/settings';
import { checkSpec, wantsOf } from '@ludus-agents/agents/internal/workspace/consent';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { callsModels } from '@ludus-agents/evaluation/internal/suites';
import type { ActionEvent, AgentSpec, EpisodeEvent, Json, ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { fork, play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { codeOf, createSabotagedTeam, knowersOf, openVault, vault } from '../../../../../benchmarks/_vault.ts';

const protocols = [
  ...['in-order', 'rounds', 'orchestrator', 'planner', 'specialists', 'plan-exchange', 'refine'],
  ...['joint-plans', 'four-modules', 'guidance', 'thought-graph', 'designer', 'pipeline'],
];
const seeds = Array.from({ length: 12 }, (_, i) => i);
const load = createAgentLoader({ environment: builtInEnvironment });

async function logOf(spec: AgentSpec, seed: number, calls?: number): Promise<readonly EpisodeEvent[]> {
  const game = await builtInEnvironment('tic-tac-toe');
  const agents = { X: await load(spec, 'X', game), O: await load('random', 'O', game) };
  const log: EpisodeEvent[] = [];
  for await (const event of play(game, agents, { seed, ...(calls === undefined ? {} : { limits: { calls } }) })) log.push(event);
  return log;
}

const squad: AgentSpec = { name: 'squad', kind: 'team', settings: { members: ['scripted:minimax', 'scripted:lookahead', 'random'] } };

const mindsIn = (log: readonly EpisodeEvent[], seat: string) =>
  log.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [readTeamMind(event.mind) as TeamMind] : []));

describe('a team with split knowledge', () => {
  it.each(protocols)('opens every vault under the protocol %s', async (protocol) => {
    for (const seed of seeds) {
      const code = codeOf(seed);
      expect((await openVault(knowersOf(code), code, { seed, protocol })).opened).toBe(true);
    }
  });

  it('has no better chance than one member without communication', async () => {
    const plays = await Promise.all(
      Array.from({ length: 160 }, (_, seed) => openVault(knowersOf(codeOf(seed)), codeOf(seed), { seed, protocol: 'in-order', links: [] })),
    );
    // One sixteenth of 160 is 10; twenty would be a chance of one in a thousand.
    expect(plays.filter(({ opened }) => opened).length).toBeLessThan(20);
  });

  it.each(protocols)('opens vaults under the protocol %s with private tools, but not with links cut', async (protocol) => {
    const open = async (seed: number, links?: Json) => {
      const code = codeOf(seed);
      return (await openVault(knowersOf(code), code, { seed, protocol, split: 'tools', ...(links === undefined ? {} : { links }) })).opened;
    };
    expect(await Promise.all(seeds.slice(0, 4).map((seed) => open(seed)))).toEqual([true, true, true, true]);
    // With one sixteenth each, six of ten would be a chance of one in a hundred thousand.
    const alone = await Promise.all(Array.from({ length: 10 }, (_, seed) => open(seed, [])));
    expect(alone.filter(Boolean).length).toBeLessThan(6);
  });

  it.each(protocols)('beats a saboteur under the protocol %s if two members know each digit', async (protocol) => {
    for (const seed of seeds.slice(0, 6)) {
      const code = codeOf(seed);
      expect((await openVault(createSabotagedTeam(code, 2, seed), code, { seed, protocol })).opened).toBe(true);
    }
  });

  it('is beaten by a saboteur if one member knows each digit', async () => {
    const single = await Promise.all(
      seeds.map((seed) => openVault(createSabotagedTeam(codeOf(seed), 1, seed), codeOf(seed), { seed, protocol: 'in-order' })),
    );
    expect(single.filter(({ opened }) => opened).length).toBeLessThan(6);
  });

  it('costs extra messages and gains nothing if one member knows everything', async () => {
    for (const seed of seeds) {
      const code = codeOf(seed);
      const all = { name: 'Ann', digits: Object.fromEntries(code.map((value, i) => [i + 1, value])) };
      const alone = await openVault([all], code, { seed });
      const team = await openVault([all, { name: 'Ben', digits: {} }, { name: 'Cleo', digits: {} }], code, { seed, protocol: 'in-order' });
      expect([alone.opened, alone.calls, team.opened, team.calls]).toEqual([true, 1, true, 3]);
    }
  });
});

describe('the log of a team', () => {
  it('contains every discussion, replays by its rules, and is the same for the same seed', async () => {
    const [log, again] = [await logOf(squad, 4), await logOf(squad, 4)];
    expect(log).toEqual(again);
    expect(replay(await builtInEnvironment('tic-tac-toe'), log)).toBeNull();
    const minds = mindsIn(log, 'X');
    expect(minds.length).toBeGreaterThan(2);
    const discussion = await builtInEnvironment('discussion');
    for (const { discussion: inner, result } of minds) {
      expect(replay(discussion, inner)).toBeNull();
      expect(inner.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
      expect(result['answer']).toMatch(/^\[\d\]$/);
    }
  });

  it('can be forked, with earlier discussions unchanged', async () => {
    const game = await builtInEnvironment('tic-tac-toe');
    const log = await logOf(squad, 4);
    const at = log.findLastIndex((event) => event.kind === 'action' && event.seat === 'X');
    const agents = { X: await load(squad, 'X', game), O: await load('random', 'O', game) };
    const branch: EpisodeEvent[] = [];
    for await (const event of fork(game, log, at, agents)) branch.push(event);
    expect(branch.slice(1)).toEqual(log.slice(1));
    const other: EpisodeEvent[] = [];
    for await (const event of fork(game, log, at, agents, { seed: 99 })) other.push(event);
    expect(mindsIn(other, 'X').slice(0, -1)).toEqual(
      mindsIn(log, 'X')
        .slice(0, -1)
        .slice(0, mindsIn(other, 'X').length - 1),
    );
    expect(replay(game, other)).toBeNull();
  });

  it('counts the calls of members as calls of the seat, in the order of the discussion', async () => {
    const { log, calls } = await openVault(knowersOf([1, 2, 3]), [1, 2, 3], { seed: 1, protocol: 'specialists' });
    const action = log.find((event) => event.kind === 'action') as ActionEvent;
    expect(calls).toBe(3);
    const mind = readTeamMind(action.mind) as TeamMind;
    expect(mind.calls).toEqual({ Ann: 1, Ben: 1, Cleo: 1 });
    const spoken = mind.discussion.flatMap((event) => (event.kind === 'action' ? [event.action.text] : []));
    expect((action.calls as readonly ModelCall[]).map(({ text }) => text)).toEqual(spoken);
  });

  it('ends with the fault of a member and its name', async () => {
    const broken = createAgentLoader({
      environment: builtInEnvironment,
      own: async () => ({ name: 'Ben', act: () => Promise.reject(new Error('out of order')) }),
    });
    const agent = await broken({ name: 'crew', kind: 'team', settings: { members: ['random', './ben.ts'] } }, 'opener', vault);
    const log: EpisodeEvent[] = [];
    for await (const event of play(vault, { opener: agent }, { seed: 1 })) log.push(event);
    expect(log.at(-1)).toMatchObject({ reason: 'error', fault: { message: expect.stringMatching(/^crew, ben: .*out of order/) } });
  });
});

describe('a language agent with settings.team', () => {
  const spec: AgentSpec = {
    name: 'trio',
    kind: 'llm',
    model: 'fake',
    texts: { instruction: 'Be brief.', 'member/scout': 'Look around.', 'member/critic': 'Find the fault.' },
    settings: {
      team: {
        members: ['lead', 'scout', 'critic'],
        links: [
          ['scout', 'critic'],
          ['critic', 'lead'],
        ],
        answers: 'lead',
      },
    },
  };

  it('plays as a team: each member has a brief and its links, and the last one answers', async () => {
    const prompts: string[] = [];
    const model = fakeModel({
      answers(prompt) {
        prompts.push(JSON.stringify(prompt.messages));
        return 'Answer: 111';
      },
    });
    const agent = await createAgentLoader({ environment: builtInEnvironment, model: async () => model })(spec, 'opener', vault);
    for await (const event of play(vault, { opener: agent }, { seed: 1 }))
      if (event.kind === 'end') expect(event.returns['opener']).toBe(1);
    expect(prompts.map((prompt) => ['Look around.', 'Find the fault.'].map((brief) => prompt.includes(brief)))).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
    expect(prompts[1]).toContain('scout: ');
    expect(prompts[2]).toContain('critic: ');
    expect(prompts[2]).not.toContain('scout: ');
  });

  it('passes on the lines that a protocol asks for, even if its own answer format has labels', async () => {
    const model = fakeModel({
      answers: (prompt) => {
        const text = JSON.stringify(prompt.messages);
        const move = 'Thought: hm\nProgress: yes\nDone: yes\nAction: 111';
        return text.includes('Judge the state') ? move : 'Sure.\n**Plan:** try the digits in turn\nFact: three digits\nAction: 444';
      },
    });
    const members = [
      { name: 'Ann', kind: 'llm', model: 'fake' },
      { name: 'Ben', kind: 'llm', model: 'fake' },
    ];
    const team: AgentSpec = { name: 'duo', kind: 'team', settings: { protocol: 'orchestrator', members } };
    const agent = await createAgentLoader({ environment: builtInEnvironment, model: async () => model })(team, 'opener', vault);
    const log: EpisodeEvent[] = [];
    for await (const event of play(vault, { opener: agent }, { seed: 1 })) log.push(event);
    expect(log.at(-1)).toMatchObject({ returns: { opener: 1 } });
    expect(mindsIn(log, 'opener')[0]?.memory).toMatchObject({ plan: 'try the digits in turn', facts: ['three digits'] });
  });

  it('plays the same alone and in a team of one', async () => {
    const game = await builtInEnvironment('tic-tac-toe');
    // The move is read from prose only where every move is listed.
    const model = fakeModel({
      answers: ({ messages }) => `[9] is worse.\nMove: ${/Your moves: (\[\d\])/.exec(JSON.stringify(messages))?.[1]}`,
    });
    const loadModel = createAgentLoader({ environment: builtInEnvironment, model: async () => model });
    const member: AgentSpec = { name: 'Ann', kind: 'llm', model: 'fake' };
    const movesOf = async (spec: AgentSpec) => {
      const agents = { X: await loadModel(spec, 'X', game), O: await loadModel('random', 'O', game) };
      const texts: string[] = [];
      for await (const event of play(game, agents, { seed: 2 })) if (event.kind === 'action') texts.push(event.action.text);
      return texts;
    };
    const alone = await movesOf(member);
    expect(alone.length).toBeGreaterThan(4);
    for (const protocol of ['in-order', 'orchestrator'])
      expect(await movesOf({ name: 'solo', kind: 'team', settings: { protocol, members: [member as unknown as Json] } })).toEqual(alone);
  });

  it('has one lead that reads all if only texts name members', () => {
    const { settings } = teamOfLanguage({ ...spec, settings: {} });
    expect(settings).toMatchObject({
      lead: 'lead',
      links: [
        ['scout', 'lead'],
        ['critic', 'lead'],
      ],
    });
    expect(settings?.['members']).toHaveLength(3);
  });
});

it('calls members that are files by the name of the file or of the export', () => {
  const members = ['./parts/planner.json', './minds.mts#advisor', '../planner.json', 'local/x@best'];
  const { called } = readTeam({ name: 'crew', kind: 'team', settings: { members, lead: 'planner' } });
  expect(called.map(({ name }) => name)).toEqual(['planner', 'advisor', 'planner 2', 'local/x@best']);
});

describe('an invalid team', () => {
  const team = (settings: Record<string, Json>): AgentSpec => ({ name: 'crew', kind: 'team', settings });

  it.each([
    [{}, /crew.*members/],
    [{ members: [] }, /members/],
    [{ members: ['random'], protocol: 'shouting' }, /protocol/],
    [{ members: ['random'], lead: 'Ann' }, /no member "Ann".*random/],
    [{ members: ['random'], links: [['random', 'Ann']] }, /no member "Ann"/],
    [{ members: ['random'], member: 'x' }, /member/],
  ])('is rejected: %j', (settings, why) => {
    expect(() => readTeam(team(settings as Record<string, Json>))).toThrow(why);
  });

  it('is rejected if teams contain each other endlessly', async () => {
    let spec: Json = 'random';
    for (let i = 0; i < 8; i++) spec = { name: `t${i}`, kind: 'team', settings: { members: [spec] } };
    await expect(load(spec as unknown as AgentSpec, 'opener', vault)).rejects.toThrow(/is defined by files that refer to each other/);
  });

  it('is rejected if stored data adds a member with a command, a server, or tools', () => {
    const members: Json = ['cmd:rm -rf x', { name: 'a', kind: 'llm', model: 'http://evil.example/v1#m', tools: ['desk'] }];
    const spec = team({ members });
    expect(wantsOf(spec).map(({ kind }) => kind)).toEqual(expect.arrayContaining(['command', 'address', 'tools']));
    expect(() => checkSpec(spec, Trust.storedData, { cwd: '/', env: {} })).toThrow(/wants to/);
    expect(() => checkSpec({ name: 's', kind: 'search', settings: { base: 'cmd:rm x' } }, Trust.storedData, { cwd: '/', env: {} })).toThrow(
      /wants to/,
    );
  });
});

describe('the cost of a team', () => {
  const spec: AgentSpec = {
    name: 'crew',
    kind: 'team',
    settings: { most: 10, members: ['random', { name: 'Ann', kind: 'llm', model: 'openai/gpt' }, 'llm:ollama/x'] },
  };

  it('includes the models of all its members', () => {
    expect(modelsOfSpec(spec)).toEqual(['openai/gpt', 'ollama/x']);
    expect(callsModels(spec)).toBe(true);
    expect(callsModels({ name: 'crew', kind: 'team', settings: { members: ['random'] } })).toBe(false);
    expect(modelsOfSpec({ name: 's', kind: 'search', settings: { base: 'llm' } })).toEqual(['local']);
    expect(callsInTurn(spec)).toBe(10);
  });
});
