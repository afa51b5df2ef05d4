/** @file Sentences against a profile, a planning agent stage by stage, and edits over turns: exact values, planted twins, floors. */

import { parsePersona } from '@ludus-agents/agents/internal/personas/index';
import type { EpisodeEvent, Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { act, episode, inputOf, note, scoreOf, scoresOf, speak, tell } from '../logs.cases.ts';
import { editRows, edits } from './edits.ts';
import { planning } from './planning.ts';
import { sentenceAlignment } from './sentence-alignment.ts';

const ann = parsePersona({
  name: 'Ann Archer',
  statements: ['Ann Archer repairs clocks in the market square.', { text: 'Ann Archer drinks wine.', polarity: 'must_not' }],
  identity: { personal: { bigFive: { A: { score: 88 }, E: { score: 50 } } } },
  voice: { lexicon: { use: ['by the spring'], avoid: ['awesome'] }, sentenceLen: { max: 14 } },
  relations: [{ to: 'Teo Marsh', affinity: -0.8 }],
} as unknown as Json) as unknown as Json;

const aligned = (...texts: string[]) =>
  scoreOf(sentenceAlignment, {
    ...inputOf(episode({ seats: ['ann', 'guest'], events: texts.flatMap((text) => speak('ann', text, ['guest'])) })),
    seat: 'ann',
    persona: ann,
  });

describe('sentence-alignment', () => {
  it('finds what each sentence shows of the profile, and what none shows', async () => {
    const score = await aligned('By the spring, I repair clocks here in the market square.', 'Thank you. Let me help.');
    expect(score.value).toBe(1);
    expect(score.parts).toMatchObject({ style: 1, character: 1, personality: 1, relationship: null, sentences: 3 });
    // One word of use, one trait and one of two statements of five entries; the relation is not shown.
    expect(score.parts?.['shown']).toBeCloseTo(3 / 5, 10);
  });

  it.each([
    ['style', 'That is awesome.'],
    ['personality', 'That is your own fault, you fool.'],
    ['character', 'I never repair clocks in the market square.'],
    ['relationship', 'Teo Marsh is my dear friend.'],
  ])('falls in %s when a flaw of that kind is planted, and quotes it', async (dimension, planted) => {
    const clean = ['By the spring, I repair clocks here in the market square.', 'Thank you.'];
    const [before, after] = [await aligned(...clean), await aligned(...clean, planted)];
    expect(after.value).toBeLessThan(before.value as number);
    expect(after.parts?.[dimension]).toBeLessThan(1);
    expect(after.evidence[0]).toMatchObject({ supports: false, quote: planted });
    expect(after.evidence[0]?.note).toContain(dimension);
  });

  it('has no value where nothing bears on the profile, and stays under a paraphrase', async () => {
    expect(await aligned('It rains.')).toMatchObject({ value: null, status: 'not-applicable' });
    expect((await aligned('Here in the market square I repair clocks.')).value).toBe(
      (await aligned('I repair clocks in the market square, here.')).value,
    );
  });
});

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
  it('is 1 in every stage for a clean order', async () => {
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
    ['policy', order.filter((_, i) => i !== 6), 'nobody had agreed'],
  ] as const)('falls in the stage "%s" alone when its flaw is planted', async (stage, events, words) => {
    const score = await planned(events);
    for (const [name, value] of Object.entries(score.parts ?? {})) if (name !== 'calls') expect(value === 1, name).toBe(name !== stage);
    expect(score.evidence[0]?.note).toContain(words);
  });

  it('does not apply without calls, and reads writes and required arguments from the reference', async () => {
    expect(await planned(replies('Hello.'))).toMatchObject({ value: null, status: 'not-applicable' });
    expect((await planned(order, { writes: [] })).parts?.['policy']).toBeNull();
    expect((await planned(order, { required: { cancel_order: ['id', 'reason'] } })).parts?.['arguments']).toBe(0.5);
  });
});

describe('edits', () => {
  const first = { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 };

  it('gives the published rows', () => {
    const rows = editRows(first, [
      { asked: { a: 2 }, state: { ...first, a: 2 } },
      { asked: { b: 2, c: 2 }, state: { ...first, a: 2, b: 2, f: 9 } },
    ]);
    expect(rows[0]).toEqual({ follow: 1, keep: 1, drift: 1, all: 1 });
    expect(rows[1]).toMatchObject({ follow: 0.5, keep: 0.75, all: 0 });
    expect(rows[1]!.drift).toBeCloseTo(0.6667, 4);
  });

  it('pays nothing for copying the first state, and reads answers of any talk by a reference', async () => {
    const turns = [{ asked: { a: 2 }, state: first }];
    expect((await scoreOf(edits, inputOf(episode({ seats: ['s'], events: [note({ edits: { first, turns } })] })))).value).toBe(0);
    const log = episode({ seats: ['s'], events: [act('s', `Here: ${JSON.stringify({ ...first, a: 2 })}`), act('s', 'I cannot.')] });
    const score = await scoreOf(edits, inputOf(log, { reference: { first, edits: [{ a: 2 }, { b: 2 }] } }));
    expect(score.parts).toMatchObject({ follow: 0.5, keep: 0.5, turns: 2 });
  });
});
