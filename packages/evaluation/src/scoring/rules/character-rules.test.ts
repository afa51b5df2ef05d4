/** @file A planning agent stage by stage, and edits over turns: exact values, planted twins, floors. */

import type { EpisodeEvent, Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { act, episode, inputOf, note, scoreOf, scoresOf, speak, tell } from '../logs.cases.ts';
import { editRows, edits } from './edits.ts';
import { planning } from './planning.ts';

const call = (tool: string, args: Json): EpisodeEvent => act('agent', JSON.stringify({ tool, args }), { tool, args });
const result = (tool: string, text: string, ok = true) => tell('agent', text, { tool, ok });
const says = (text: string): EpisodeEvent => ({ kind: 'message', to: ['agent'], from: 'customer', text });
const replies = (text: string) => speak('agent', text, ['customer']);

const order: readonly EpisodeEvent[] = [
  says('Please cancel order W-4711.'),
  call('find_order', { id: 'W-4711' }),
  result('find_order', 'W-4711 cost 89.50 and is pending'),
  ...replies('W-4711 cost 89.50. Shall I cancel it?'),
  says('Yes, go ahead.'),
  call('cancel_order', { id: 'W-4711' }),
  result('cancel_order', 'done'),
  ...replies('It is cancelled.'),
];

const planned = async (events: readonly EpisodeEvent[], reference: Json = {}) => {
  const [whole] = await scoresOf(planning, { ...inputOf(episode({ seats: ['agent', 'customer'], events })), seat: 'agent', reference });
  return whole!;
};

describe('planning', () => {
  it('is 1 in every stage for a correct order', async () => {
    const score = await planned(order, { required: { cancel_order: ['id'] } });
    expect(score.value).toBe(1);
    expect(score.parts).toEqual({ state: 1, tools: 1, arguments: 1, observation: 1, policy: 1, calls: 2 });
    expect(
      (await scoresOf(planning, { ...inputOf(episode({ seats: ['agent', 'customer'], events: order })), seat: 'agent' })).map(
        ({ name }) => name,
      ),
    ).toEqual(['planning', 'planning/state', 'planning/tools', 'planning/arguments', 'planning/observation', 'planning/policy']);
  });

  it.each([
    ['state', order.map((episodeEvent, i) => (i === 1 ? call('find_order', { id: 'W-9999' }) : episodeEvent)), 'was heard nowhere'],
    ['tools', order.toSpliced(3, 0, call('find_order', { id: 'W-4711' }), result('find_order', 'same')), 'the same call'],
    [
      'arguments',
      order.map((episodeEvent, i) => (i === 2 ? result('find_order', 'W-4711 cost 89.50', false) : episodeEvent)),
      'was refused',
    ],
    ['observation', [...order, ...replies('You get 120.00 back.')], '120.00 stands in nothing'],
    ['policy', order.filter((_, i) => i !== 6), 'no one had agreed'],
  ] as const)('drops only in the stage "%s" with its planted flaw', async (stage, events, words) => {
    const score = await planned(events);
    for (const [name, value] of Object.entries(score.parts ?? {})) if (name !== 'calls') expect(value === 1, name).toBe(name !== stage);
    expect(score.evidence[0]?.note).toContain(words);
  });

  it('does not apply without calls, and takes writes and required arguments from the reference', async () => {
    expect(await planned(replies('Hello.'))).toMatchObject({ value: null, status: 'not-applicable' });
    expect((await planned(order, { writes: [] })).parts?.['policy']).toBeNull();
    expect((await planned(order, { required: { cancel_order: ['id', 'reason'] } })).parts?.['arguments']).toBe(0.5);
  });
});

describe('edits', () => {
  const first = { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 };

  it('match the published rows', () => {
    const rows = editRows(first, [
      { asked: { a: 2 }, state: { ...first, a: 2 } },
      { asked: { b: 2, c: 2 }, state: { ...first, a: 2, b: 2, f: 9 } },
    ]);
    expect(rows[0]).toEqual({ follow: 1, keep: 1, drift: 1, all: 1 });
    expect(rows[1]).toMatchObject({ follow: 0.5, keep: 0.75, all: 0 });
    expect(rows[1]!.drift).toBeCloseTo(0.6667, 4);
  });

  it('score nothing for copying the first state, and read answers of any log with a reference', async () => {
    const turns = [{ asked: { a: 2 }, state: first }];
    expect((await scoreOf(edits, inputOf(episode({ seats: ['s'], events: [note({ edits: { first, turns } })] })))).value).toBe(0);
    const log = episode({ seats: ['s'], events: [act('s', `Here: ${JSON.stringify({ ...first, a: 2 })}`), act('s', 'I cannot.')] });
    const score = await scoreOf(edits, inputOf(log, { reference: { first, edits: [{ a: 2 }, { b: 2 }] } }));
    expect(score.parts).toMatchObject({ follow: 0.5, keep: 0.5, turns: 2 });
  });
});
