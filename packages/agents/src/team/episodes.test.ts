/** @file A team through an episode: members that are policies play as they do alone, ledgers and skills last, and every mechanism counts. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { teamProtocols } from '@ludus-agents/environments/internal/team-protocols';
import type { Agent, AnyEnvironment, EpisodeEvent, Json, Turn } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { createAgentLoader } from '../kinds.ts';
import { mindLines } from '../mind-words.ts';
import { readTeamMind, type TeamMind } from './agent.ts';

const moves = ['[1]', '[2]', '[3]', '[4]'];

/** A row of locks, opened in order by one of four keys each. The seat is told only the last result. */
function locks(length: number, window?: number): AnyEnvironment {
  return {
    id: 'locks@1',
    about: { summary: 'Locks.', tasks: [{}], turns: 40, complete: true },
    parameters: {},
    task: () => ({}),
    seats: () => ['opener'],
    start: (_: object, rng) => ({
      state: { keys: Array.from({ length }, () => rng.pick(moves)), at: 0, turn: 0 },
      messages: [{ to: ['opener'], text: 'Open the locks.' }],
      asks: [{ seat: 'opener', choices: moves, ...(window === undefined ? {} : { window }) }],
    }),
    step(state: { keys: readonly string[]; at: number; turn: number }, actions: Readonly<Record<string, { text: string }>>) {
      const opened = actions['opener']?.text === state.keys[state.at];
      const [at, turn] = [state.at + (opened ? 1 : 0), state.turn + 1];
      const text = opened ? `Lock ${at} is open.` : 'Nothing changed.';
      const asks = at === length || turn >= 20 ? [] : [{ seat: 'opener', choices: moves, ...(window === undefined ? {} : { window }) }];
      const rewards = asks.length === 0 ? { rewards: { opener: at / length } } : {};
      return { state: { ...state, at, turn }, messages: [{ to: ['opener'], text }], asks, ...rewards };
    },
  };
}

type Says = (observation: string, turn: Turn) => string;

const speaker = (name: string, says: Says): Agent => ({
  name,
  speaks: true,
  act: (turn) => ({ action: { text: says(turn.view.seen.findLast((item) => item.kind === 'message')?.text ?? '', turn) } }),
});

async function playTeam(
  environment: AnyEnvironment,
  members: Readonly<Record<string, Agent | string>>,
  settings: Readonly<Record<string, Json>>,
  { seed = 1, ...services }: { readonly seed?: number; readonly earlierEpisodes?: () => Promise<never> } = {},
) {
  const own = async (name: string) => {
    const agent = members[name.slice(2)];
    return typeof agent === 'string' ? undefined : agent;
  };
  const load = createAgentLoader({ environment: builtInEnvironment, own, ...services });
  const specs = Object.entries(members).map(([name, agent]) => ({ name, kind: typeof agent === 'string' ? agent : `./${name}` }));
  const [seat = ''] = environment.seats({});
  const team = await load({ name: 'team', kind: 'team', settings: { members: specs, ...settings } } as never, seat, environment);
  const log: EpisodeEvent[] = [];
  for await (const event of play(environment, { [seat]: team }, { seed })) log.push(event);
  expect(log.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
  expect(replay(environment, log)).toBeNull();
  const acts = log.flatMap((event) => (event.kind === 'action' ? [event] : []));
  const end = log.at(-1);
  return {
    moves: acts.map(({ action }) => action.text),
    actions: acts.map(({ action }) => action),
    minds: acts.map(({ mind }) => readTeamMind(mind) as TeamMind),
    paid: end?.kind === 'end' ? end.returns[seat] : undefined,
  };
}

const spoken = ({ discussion }: TeamMind) => discussion.filter((event) => event.kind === 'action').length;

describe('policy in a team', () => {
  const policy: Agent = {
    name: 'policy',
    act: ({ view, ask, rng, mind }) => {
      const count = typeof mind === 'number' ? mind : 0;
      const text = view.seen.length % 3 === count % 2 ? rng.pick(ask.choices ?? []) : ask.choices![count % 4]!;
      return { action: { text, data: { count } }, mind: count + 1 };
    },
  };

  async function alone(seed: number): Promise<readonly string[]> {
    const acts: string[] = [];
    for await (const event of play(locks(4), { opener: policy }, { seed }))
      if (event.kind === 'action') acts.push(JSON.stringify(event.action));
    return acts;
  }

  it.each([...teamProtocols])('plays the same alone and in a team of one, under %s, over many seeds', async (protocol) => {
    const settings = { protocol, ...(protocol === 'pipeline' ? { pipeline: 'cradle' } : {}) };
    for (let seed = 7001; seed <= amount(7030, 7100); seed += 1) {
      const load = createAgentLoader({ environment: builtInEnvironment, own: async () => policy });
      const spec = { name: 'team', kind: 'team', settings: { members: [{ name: 'policy', kind: './policy' }], ...settings } };
      const team = await load(spec as never, 'opener', locks(4));
      const acts: string[] = [];
      for await (const event of play(locks(4), { opener: team }, { seed }))
        if (event.kind === 'action') acts.push(JSON.stringify(event.action));
      expect(acts).toEqual(await alone(seed));
    }
  });

  it.each([...teamProtocols])('makes the moves when the other members are silent, under %s', async (protocol) => {
    const settings = { protocol, lead: 'policy', ...(protocol === 'pipeline' ? { pipeline: 'pangu' } : {}) };
    const silent = speaker('silent', () => '');
    const { moves: results } = await playTeam(locks(4), { policy, silent }, settings, { seed: 7003 });
    expect(results).toEqual((await alone(7003)).map((text) => (JSON.parse(text) as { text: string }).text));
  });

  it('is combined with guidance by probability, and a share of 0 ignores the guidance', async () => {
    const base: Agent = {
      name: 'base',
      act: () => ({ action: { text: '[1]' }, chances: { '[1]': 0.5, '[2]': 0.45, '[3]': 0.05, '[4]': 0 } }),
    };
    const guide = speaker('guide', (observation) => (observation.includes('"Well: yes"') ? 'Well: no' : 'Guide [2]: 1\nGuide [3]: 1'));
    const guided = await playTeam(locks(1), { base, guide }, { protocol: 'guidance', rounds: 1 });
    expect(guided.moves[0]).toBe('[2]');
    expect(guided.minds[0]!.acted).toMatchObject({ chances: 1, changed: 1 });
    expect((await playTeam(locks(1), { base, guide }, { protocol: 'guidance', share: 0 })).moves[0]).toBe('[1]');
  });
});

it('gives members a different random generator every turn, even if they see one message', async () => {
  const roller = speaker('roller', (_, { rng }) => `Answer: ${rng.pick(moves)}`);
  const quiet = speaker('quiet', () => '');
  const { moves: rolled } = await playTeam(locks(4, 1), { roller, quiet }, { protocol: 'in-order', lead: 'roller' }, { seed: 5 });
  expect(new Set(rolled).size).toBeGreaterThan(2);
});

describe('team ledger', () => {
  /** It tries the key after the last one that its ledger says failed, and knows nothing else. */
  const lead = speaker('lead', (observation) => {
    if (observation.includes('"Plan: …"')) return 'Plan: try the keys in turn.';
    return `Progress: ${observation.includes('Nothing changed') ? 'no' : 'yes'}\nAct: hand\nTask: ${/Done so far: (.*)/.exec(observation)?.[1] ?? ''}`;
  });
  const hand = speaker('hand', (observation) => {
    const entries = observation.split(' | ');
    const failures = entries.slice(entries.findLastIndex((entry) => entry.includes('is open')) + 1);
    return `Answer: ${moves[failures.filter((entry) => entry.includes('Nothing changed')).length % 4]}`;
  });

  it('lasts for the whole episode and improves the result', async () => {
    const on = await playTeam(locks(4, 1), { lead, hand }, { protocol: 'orchestrator', off: ['stalls'] });
    const off = await playTeam(locks(4, 1), { lead, hand }, { protocol: 'orchestrator', off: ['stalls', 'ledger'] });
    expect([on.paid, on.minds.filter(({ discussion }) => JSON.stringify(discussion).includes('Write down the facts')).length]).toEqual([
      1, 1,
    ]);
    expect(off.paid).toBeLessThan(1);
    expect(on.minds.at(-1)!.acted['ledger']).toBe(on.moves.length - 1);
    expect(mindLines(on.minds.at(-1) as unknown as Json).join('\n')).toMatch(
      /remembers plan: try the keys[\s\S]+mechanisms so far: .*ledger/,
    );
  });

  it('is written again at the start of an episode, from that of the last one', async () => {
    const asked: string[] = [];
    const writer = speaker('lead', (observation) => {
      if (observation.includes('"Plan: …"')) asked.push(observation);
      return observation.includes('"Plan: …"')
        ? `Plan: plan ${asked.length}.\nFact: fact ${asked.length}.`
        : 'Progress: yes\nDone: yes\nAnswer: [1]';
    });
    const settings = { protocol: 'orchestrator', lasting: true, off: ['stalls'] };
    const first = await playTeam(locks(4, 1), { writer, hand }, settings);
    const mind = first.minds.at(-1) as unknown as Json;
    const second = await playTeam(locks(4, 1), { writer, hand }, settings, {
      earlierEpisodes: async () => ({ mind, paths: [] }) as never,
    });
    expect(asked[1]).toMatch(/^Your ledger:\nPlan: plan 1\.\nFacts: fact 1\.\nThat was another episode/);
    expect(second.minds[0]!.memory).toMatchObject({ plan: 'plan 2.', facts: ['fact 2.'] });
    expect(second.minds[0]!.acted['replans']).toBe(0);
  });

  it('makes the lead replan when nothing changes', async () => {
    const stubborn = speaker('lead', (observation) =>
      observation.includes('"Plan: …"') ? 'Plan: push.' : 'Progress: yes\nDone: yes\nAnswer: [1]',
    );
    const { minds } = await playTeam(locks(4, 1), { stubborn, hand }, { protocol: 'orchestrator' }, { seed: 3 });
    expect(minds.at(-1)!.acted['replans']).toBeGreaterThan(1);
    const { minds: off } = await playTeam(locks(4, 1), { stubborn, hand }, { protocol: 'orchestrator', off: ['stalls'] }, { seed: 3 });
    expect(off.at(-1)!.acted['replans']).toBe(0);
  });

  /** Two rooms and a clock, which every message shows. */
  const rooms: AnyEnvironment = {
    ...locks(1),
    start: () => ({ state: 0, messages: [{ to: ['opener'], text: 'A hall. Turn 0.' }], asks: [{ seat: 'opener', choices: moves }] }),
    step: (turn: number) => ({
      state: turn + 1,
      messages: [{ to: ['opener'], text: `${turn % 2 === 0 ? 'A yard' : 'A hall'}. Turn ${turn + 1}.` }],
      asks: turn + 1 === 12 ? [] : [{ seat: 'opener', choices: moves }],
    }),
  };

  it('detects a loop that the lead reports as progress, once per loop', async () => {
    const walker = speaker('lead', (observation) =>
      observation.includes('"Plan: …"') ? 'Plan: walk.' : 'Progress: yes\nLoop: no\nDone: yes\nAnswer: [1]',
    );
    const { minds } = await playTeam(rooms, { walker, hand }, { protocol: 'orchestrator' });
    expect(minds.at(-1)?.acted).toMatchObject({ still: 9, stalls: 3, replans: 3 });
  });

  it('does not count a repeated task as a stall while the moves make progress', async () => {
    const steady = speaker('lead', (observation) =>
      observation.includes('"Plan: …"') ? 'Plan: on.' : 'Progress: yes\nAct: hand\nTask: open the next lock',
    );
    const opener = speaker(
      'hand',
      (_, { view }) => `Answer: [${view.seen.filter(({ kind }) => kind === 'action').length % 2 === 0 ? 1 : 2}]`,
    );
    const counting: AnyEnvironment = {
      ...rooms,
      step: (turn: number) => ({
        state: turn + 1,
        messages: [{ to: ['opener'], text: `Lock ${turn + 1} is open.` }],
        asks: turn + 1 === 6 ? [] : [{ seat: 'opener', choices: moves }],
      }),
    };
    const { minds } = await playTeam(counting, { steady, hand: opener }, { protocol: 'orchestrator' });
    expect(minds.at(-1)?.acted).toMatchObject({ still: 0, stalls: 0, replans: 0, delegated: 6 });
  });

  it('rejects a switch that the protocol does not have', async () => {
    await expect(playTeam(locks(1), { lead, hand }, { protocol: 'orchestrator', off: ['plan'] })).rejects.toThrow(/ledger, stalls/);
  });
});

describe('team skills', () => {
  const path = (keys: readonly string[], observations: readonly string[]) => ({
    steps: keys.map((move, i) => ({ move, observed: observations[i]! })),
    paid: 1,
  });

  it('mined from earlier episodes run without asking the member and are dropped on failure', async () => {
    const asked: string[] = [];
    const me = speaker('me', (observation, { rng }) => {
      asked.push(observation);
      return `Answer: ${rng.pick(moves)}`;
    });
    const right = async () => {
      const opened = await solution(3, 1);
      return { mind: undefined, paths: [path(opened, ['Open the locks.', 'Lock 1 is open.', 'Lock 2 is open.'])] } as never;
    };
    const fast = await playTeam(locks(3), { me }, { pipeline: 'fasta', lasting: true }, { earlierEpisodes: right });
    expect([fast.moves.length, fast.paid, asked.length]).toEqual([3, 1, 0]);
    expect(fast.minds.at(-1)!.acted).toMatchObject({ reused: 1, continued: 2, failed: 0 });
    const wrong = async () => ({ mind: undefined, paths: [path(['[9]', '[9]'], ['Open the locks.', 'x'])] }) as never;
    const dropped = await playTeam(locks(3), { me }, { pipeline: 'fasta', lasting: true }, { earlierEpisodes: wrong });
    expect(dropped.minds.at(-1)!.acted).toMatchObject({ reused: 0 });
    expect(dropped.minds[0]!.acted['failed']).toBe(1);
  });

  it('are not mined again after they were dropped', async () => {
    const me = speaker('me', () => 'Answer: [1]');
    const paths = [path(['[1]', '[1]'], ['Open the locks.', 'x'])];
    const play = (mind?: Json) =>
      playTeam(locks(3, 1), { me }, { pipeline: 'fasta', lasting: true }, { earlierEpisodes: async () => ({ mind, paths }) as never });
    const first = await play();
    const second = await play(first.minds.at(-1) as unknown as Json);
    const third = await play(second.minds.at(-1) as unknown as Json);
    expect([first, second, third].map(({ minds }) => minds.at(-1)!.acted)).toMatchObject([
      { reused: 1, failed: 1, dropped: 0 },
      { reused: 1, failed: 1, dropped: 1 },
      { reused: 0, failed: 0, dropped: 0 },
    ]);
  });

  async function solution(length: number, seed: number): Promise<readonly string[]> {
    let keys: readonly string[] = [];
    const base = locks(length);
    const spy: AnyEnvironment = {
      ...base,
      start(task, rng) {
        const step = base.start(task, rng);
        keys = (step.state as { keys: readonly string[] }).keys;
        return step;
      },
    };
    for await (const _ of play(spy, { opener: { name: 'x', act: () => ({ action: { text: '[1]' } }) } }, { seed }));
    return keys;
  }

  it('written by a member are saved in a library and run by name', async () => {
    const keys = await solution(4, 1);
    const me = speaker('me', (observation) =>
      observation.includes('Skills you have')
        ? 'Run: open'
        : observation.includes('"Skill NAME')
          ? `Skill open: ${keys.join(' ')}`
          : 'Answer: [0]',
    );
    const { minds, paid } = await playTeam(locks(4), { me }, { pipeline: 'cradle' });
    expect(paid).toBe(1);
    expect(minds.at(-1)!.acted).toMatchObject({ written: 1, reused: 1, continued: 3, failed: 0 });
    expect(minds.map(spoken)).toEqual([7, 4, 0, 0, 0]);
  });
});

describe('team module', () => {
  it('narrows the legal moves and runs programs', async () => {
    const asked: (readonly string[] | undefined)[] = [];
    let isOutputShown = false;
    const me = speaker('me', (observation, { ask, view }) => {
      if (observation.includes('"Policy: plan"')) return 'Policy: code';
      if (observation.includes('program')) return '```js\n"[" + (1 + 2) + "]";\n```';
      asked.push(ask.choices);
      isOutputShown ||= view.seen.some((item) => item.kind === 'message' && item.text === 'Output: [3]');
      return `Answer: ${ask.choices?.[0] ?? ''}`;
    });
    const { moves: results, minds } = await playTeam(locks(1), { me }, { pipeline: 'poact', off: ['review'] });
    expect([results[0], asked[0], isOutputShown]).toEqual(['[3]', ['[3]'], true]);
    expect(minds[0]!.acted).toMatchObject({ narrowed: 1, programs: 1, failedPrograms: 0 });
    const modules = [
      { name: 'doubt', narrow: 1, tell: 'Doubt.' },
      { name: 'act', tell: 'Act.' },
    ];
    const open = await playTeam(locks(1), { me: speaker('me', (_, { ask }) => `${ask.choices?.length}`) }, { modules } as never);
    expect(open.minds[0]!.acted).toMatchObject({ narrowed: 0 });
  });

  it('retrieves the skills that match the current goal from any starting point', async () => {
    const names = ['red', 'blue', 'green', 'gray', 'pink', 'white', 'black', 'brown'];
    const procedures = names.map((name) => ({ name: `open ${name} door`, when: 'Far away.', moves: ['[1]'], runs: 0, failures: 0 }));
    const earlierEpisodes = async () => ({ mind: { kind: 'team/1', memory: { procedures } }, paths: [] }) as never;
    const tells: string[] = [];
    const me = speaker('me', (observation) => {
      tells.push(observation);
      return observation === 'Which?' ? 'The brown door.' : 'Answer: [1]';
    });
    const modules = [
      { name: 'which', tell: 'Which?' },
      { name: 'skills', skills: 'write', tell: 'Skills.' },
      { name: 'act', tell: 'Act.' },
    ];
    await playTeam(locks(1), { me }, { modules, lasting: true } as never, { earlierEpisodes });
    expect(tells[1]).toMatch(/^Skills you have: open brown door: \[1\]/);
  });

  it('costs the ticks reported by its member unless the team sets them', async () => {
    const timed = (ticks: number): Agent => ({
      name: 'me',
      speaks: true,
      act: () => ({ action: { text: 'Answer: [1]', data: { ticks } } }),
    });
    const modules = [
      { name: 'slow', tell: 'Think.' },
      { name: 'act', by: 'fast', tell: 'Act.' },
    ];
    const { actions } = await playTeam(locks(1), { slow: timed(6), fast: timed(1) }, { modules } as never);
    expect(actions[0]).toEqual({ text: '[1]', data: { ticks: 7 } });
    const free = await playTeam(locks(1), { slow: timed(0), fast: timed(0) }, { modules } as never);
    expect(free.actions[0]).toEqual({ text: '[1]' });
  });

  it('receives matching knowledge and costs the configured ticks', async () => {
    const tells: string[] = [];
    const me = speaker('me', (observation) => {
      tells.push(observation);
      return 'Goals: open lock 1';
    });
    const hand: Agent = { name: 'hand', act: () => ({ action: { text: '[1]' } }) };
    const knowledge = ['To open lock 1 you need the red key.', 'A boat needs two planks.'];
    const modules = [
      { name: 'decompose', tell: 'Split the goal.', knowledge: 1 },
      { name: 'act', by: 'hand', tell: 'Act.' },
    ];
    const { actions } = await playTeam(locks(1), { me, hand }, { modules, knowledge, ticks: { decompose: 7 } } as never);
    expect(actions[0]!.data).toEqual({ ticks: 7 });
    expect(tells[0]).toContain('red key');
    expect(tells[0]).not.toContain('boat');
  });
});

it("hides the member's other messages from a role created for it", async () => {
  const shown: string[] = [];
  const lead = speaker('lead', (observation) =>
    observation.includes('Design')
      ? 'Member critic: me; find mistakes\nBlock n: ask me; count\nBlock m: ask critic; weigh\nBlock k: ask me; count again'
      : 'Solved n: yes\nSolved m: yes\nSolved k: yes\nAnswer: [1]',
  );
  const me: Agent = {
    name: 'me',
    speaks: true,
    act({ view, mind }) {
      const words = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : item.kind === 'action' ? [item.action.text] : []));
      shown.push(
        words
          .slice(1)
          .map((text) => text.slice(0, 25))
          .join(' | '),
      );
      const turns = Number((mind as { turns?: number } | undefined)?.turns ?? 0) + 1;
      return { action: { text: `turn ${turns}` }, mind: { turns } };
    },
  };
  await playTeam(locks(1), { lead, me }, { protocol: 'designer' });
  expect(shown.slice(0, 3)).toEqual([
    'lead asks you: count Writ',
    'You are critic. find mist',
    'lead asks you: count Writ | turn 1 | lead asks you: count agai',
  ]);
});
