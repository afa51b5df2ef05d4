import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { ancestorsOf, attribute, type Flow, flowOf, rootCauses, speechFlow, wrongIn } from './attribution.ts';
import { act, episode, logsOf, note, speak, tell } from './logs.cases.ts';

describe('the dependency graph', () => {
  /** 7 fails; 6 is wrong and later than all, but 7 does not use it; 2 is wrong and made 4 wrong. */
  const flow: Flow = new Map([
    [1, []],
    [2, [1]],
    [3, [1]],
    [4, [2, 3]],
    [5, [4]],
    [6, [3]],
    [7, [5]],
  ]);

  it('finds the first wrong step, not the last one', () => {
    expect([...ancestorsOf(flow, 7)].sort()).toEqual([1, 2, 3, 4, 5]);
    expect(rootCauses(flow, 7, new Set([2, 4, 6])).map(({ event }) => event)).toEqual([2]);
    expect(rootCauses(flow, 7, new Set([6]))).toEqual([]);
  });

  it('puts the cause with the most dependents first', () => {
    const causes = rootCauses(flow, 7, new Set([1, 3]));
    expect(causes).toEqual([{ event: 1, followers: 2, reach: 1 }]);
    const apart: Flow = new Map([
      [0, []],
      [1, []],
      [2, [1]],
      [3, [0, 2]],
    ]);
    expect(rootCauses(apart, 3, new Set([0, 1])).map(({ event }) => event)).toEqual([1, 0]);
  });

  it('is read from a log: messages received since the last action, and their effects', () => {
    const log = episode({
      seats: ['a', 'b', 'c'],
      events: [
        tell('a', 'Begin.'),
        ...speak('a', 'one', ['b']),
        ...speak('b', 'two', ['c']),
        ...speak('c', 'three', ['a']),
        ...speak('a', 'four', ['b']),
      ],
    });
    // 1 begin · 3, 4 a says one · 6, 7 b says two · 9, 10 c says three · 12, 13 a says four
    expect(Object.fromEntries(flowOf(log))).toEqual({ 1: [], 3: [1], 4: [3], 6: [4], 7: [6], 9: [7], 10: [9], 12: [3, 10], 13: [12] });
  });

  it('prefers the sources that an action declares, if its seat has seen them', () => {
    const used: EpisodeEvent = { kind: 'action', seat: 'b', action: { text: 'x', data: { refs: [1, 3] } } };
    const log = episode({ seats: ['a', 'b'], events: [tell('b', 'one'), tell('b', 'two'), tell('a', 'private'), used] });
    expect(flowOf(log).get(4)).toEqual([1]);
  });

  it('blames the seat that said something wrong, not the one that acted on it', () => {
    const log = episode({
      seats: ['customer', 'agent'],
      events: [
        ...speak('customer', 'My order is W-1.', ['agent']),
        note({ audit: { seat: 'customer', holds: false } }),
        { kind: 'turn', asks: [{ seat: 'agent' }] },
        act('agent', '{"tool": "get_order", "args": {}}'),
        tell('agent', 'Error: no such order', { tool: 'get_order', ok: false }),
      ],
    });
    expect([...wrongIn(log)].sort()).toEqual([2, 6]);
    expect(attribute(log)).toMatchObject({ agent: 'customer', step: 0 });
    expect(attribute(log, { wrong: new Set() })).toBeNull();
    expect(attribute({ id: 'empty', events: [] })).toBeNull();
  });

  it('depends only on the past in every environment', async () => {
    for (const name of ['service-desk', 'werewolf', 'commons', 'clinic'])
      for (const log of await logsOf(await builtInEnvironment(name), {}, [1, 2]))
        for (const [event, parents] of flowOf(log)) expect(parents.every((parent) => parent < event)).toBe(true);
  });
});

const folder = join(import.meta.dirname, '../../../../../shared/data/scoring/who_when');
const there = existsSync(join(folder, 'labels_all184.json'));
if (!there) console.log(`skipped: the Who&When labels are not in ${folder}`);

describe.skipIf(!there)('the labels of Who&When', () => {
  type Label = { split: string; n_steps: number; n_agents: number; mistake_agent: string; mistake_step: number; step_agents: string[] };
  const labels = there ? (JSON.parse(readFileSync(join(folder, 'labels_all184.json'), 'utf8')) as readonly Label[]) : [];
  const split = (name: string) => labels.filter((label) => label.split === name);

  it('match the root cause in the graph of every labeled log, given the wrong steps after it', () => {
    // In these conversations all agents hear everything, so every later error depends on the decisive step.
    let checked = 0;
    for (const { step_agents, mistake_step, mistake_agent } of split('Algorithm-Generated')) {
      const seats = [...new Set(step_agents)];
      if (step_agents[mistake_step] !== mistake_agent) continue;
      const events = step_agents.flatMap((agent) =>
        speak(
          agent,
          'words',
          seats.filter((seat) => seat !== agent),
        ),
      );
      const log = episode({ seats, events });
      const actions = log.events.flatMap(({ kind }, i) => (kind === 'action' ? [i] : []));
      expect(attribute(log, { wrong: new Set(actions.slice(mistake_step)) })).toMatchObject({ agent: mistake_agent, step: mistake_step });
      checked++;
    }
    expect(checked).toBeGreaterThan(100);
  });
});

it('speechFlow shows the messages that each team member had heard, and is empty without a team', () => {
  const said = (seat: string, text: string) => ({ kind: 'action', seat, action: { text } }) as const;
  const told = (to: string, text: string, from?: string) =>
    ({ kind: 'message', to: [to], text, ...(from === undefined ? {} : { from }) }) as const;
  const discussion = [
    told('Ann', 'Plan.'),
    said('Ann', 'Plan: left'),
    told('Ben', 'Plan: left', 'Ann'),
    told('Ben', 'Check.'),
    told('Cleo', 'Check alone.'),
    said('Ben', 'no'),
    said('Cleo', 'yes'),
    told('Ann', 'no', 'Ben'),
    told('Ann', 'yes', 'Cleo'),
    told('Ann', 'Act.'),
    said('Ann', 'right'),
  ];
  const team = { kind: 'action', seat: 'X', action: { text: 'right' }, mind: { kind: 'team/1', discussion } };
  expect(speechFlow(team as never).map(({ member, uses }) => [member, uses])).toEqual([
    ['Ann', []],
    ['Ben', [0]],
    ['Cleo', []],
    ['Ann', [0, 1, 2]],
  ]);
  expect(speechFlow({ kind: 'action', seat: 'X', action: { text: 'right' } } as never)).toEqual([]);
});
