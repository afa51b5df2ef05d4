import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { describe, expect, it } from 'vitest';
import type { Metric, Rating } from './autolibra.ts';
import { coverOf, examine, induceMetrics, readAspects, readMatches, readMetrics, readRatings } from './autolibra.ts';
import { JudgeClient } from './judges/ask.ts';
import { episode, never, speak } from './logs.cases.ts';
import vectors from './test-vectors.json' with { type: 'json' };

describe('coverage and redundancy', () => {
  it('match the vector', () => {
    const { input, expected } = vectors.autolibra;
    const aspects = input.aspects.map((id) => ({ id, sign: (id.endsWith('+') ? 1 : -1) as 1 | -1 }));
    const cover = coverOf([{ aspects, ratings: input.traits as Record<string, Rating>, matches: input.matches }]);
    expect(cover.coverage).toBe(expected.coverage);
    expect(cover.redundancy).toBe(expected['redundancy_excluding_NA(rating 0)']);
    expect(cover.redundancyWithUnrated).toBe(expected['redundancy_released_code(all 5 traits)']);
  });

  it('ignore matches of another sign, and are null without data', () => {
    const item = { aspects: [{ id: 'a', sign: 1 as const }], ratings: { m: -1 as const }, matches: { a: 'm' } };
    expect(coverOf([item])).toMatchObject({ coverage: 0, redundancy: 1 });
    expect(coverOf([])).toMatchObject({ coverage: null, redundancy: null });
  });
});

describe('reading replies', () => {
  const feedback = 'I liked how polite it was.\nBut it never checked the order number.';

  it('accepts only aspects with a quote from the feedback', () => {
    const aspects = (quote: string, sign: number) =>
      readAspects(JSON.stringify({ aspects: [{ behaviour: 'b', quote, sign }] }), { feedback }, 4);
    expect(aspects('how polite it was', 1)).toEqual({
      ok: true,
      value: [{ id: '4.0', remark: 4, behaviour: 'b', quote: 'how polite it was', sign: 1 }],
    });
    for (const [quote, sign] of [
      ['how rude it was', 1],
      ['', 1],
      ['how polite it was', 0],
      ['how polite it was', 2],
    ] as const)
      expect(aspects(quote, sign).ok, `${quote} ${sign}`).toBe(false);
    expect(readAspects('no idea', { feedback }, 0).ok).toBe(false);
  });

  it('accepts up to the requested number of uniquely named metrics, with a rating for each', () => {
    const metric = (name: string) => ({ name, definition: 'd' });
    expect(readMetrics(JSON.stringify({ metrics: [metric('a'), metric('b')] }), 2).ok).toBe(true);
    expect(readMetrics(JSON.stringify({ metrics: [metric('a'), metric('b')] }), 1).ok).toBe(false);
    expect(readMetrics(JSON.stringify({ metrics: [metric('a'), metric('a')] }), 2).ok).toBe(false);
    const metrics: Metric[] = [{ name: 'a', definition: '', good: [], bad: [] }];
    expect(readRatings('{"ratings": {"a": -1}}', metrics)).toEqual({ ok: true, value: { a: -1 } });
    for (const text of ['{"ratings": {}}', '{"ratings": {"a": "1"}}', '{"ratings": {"a": 5}}', '-1'])
      expect(readRatings(text, metrics).ok, text).toBe(false);
  });

  it('drops a match of different signs and rejects an incomplete list', () => {
    const input = {
      aspects: [
        { id: '0.0', sign: 1 as const },
        { id: '0.1', sign: -1 as const },
      ],
      ratings: { m: 1 as const },
    };
    expect(readMatches('{"matches": {"0.0": "m", "0.1": "m"}}', input)).toEqual({ ok: true, value: { '0.0': 'm', '0.1': null } });
    expect(readMatches('{"matches": {"0.0": "m"}}', input).ok).toBe(false);
  });
});

describe('induction', () => {
  const remark = (text: string, feedback: string, id: string) => ({
    episode: episode({ id, seats: ['a', 'b'], events: speak('a', text, ['b']) }),
    feedback,
  });
  const remarks = [
    remark('Good morning, dear friend.', 'It was very polite indeed.', 'e1'),
    remark('Go away, fool.', 'It was really rather rude.', 'e2'),
    remark('Good day to you, kind sir.', 'Such a polite answer again.', 'e3'),
  ];

  /** A reader that recognizes politeness. With room for two metrics, it adds one that was not requested. */
  const reader = fakeModel({
    answers: ({ messages }) => {
      const requestedContent = messages[1]?.content ?? '';
      if (requestedContent.includes('"aspects"')) {
        const feedback = requestedContent.split('Feedback:\n')[1]!;
        const sign = feedback.includes('polite') ? 1 : -1;
        return JSON.stringify({
          aspects: [{ behaviour: sign > 0 ? 'polite' : 'rude', quote: feedback.split(' ').slice(0, 4).join(' '), sign }],
        });
      }
      if (requestedContent.includes('"metrics"')) {
        const politeness = { name: 'politeness', definition: 'is kind in words', good: ['polite'], bad: ['rude'] };
        const length = { name: 'length', definition: 'is short', good: [], bad: [] };
        return JSON.stringify({ metrics: requestedContent.includes('at most 2') ? [politeness, length] : [politeness] });
      }
      if (requestedContent.includes('"ratings"')) {
        const rating = requestedContent.split('Episode:')[1]?.includes('fool') ? -1 : 1;
        return JSON.stringify({
          ratings: requestedContent.includes('length') ? { politeness: rating, length: 1 } : { politeness: rating },
        });
      }
      const ids = [...requestedContent.matchAll(/^(\d+\.\d+) /gm)].map(([, id]) => id as string);
      return JSON.stringify({ matches: Object.fromEntries(ids.map((id) => [id, 'politeness'])) });
    },
  });

  it('keeps the set of metrics that covers the feedback without redundancy', async () => {
    const match = await induceMetrics(remarks, {
      desk: new JudgeClient({ model: reader }),
      sizes: [2, 1],
      heldOut: remarks.slice(1),
      signal: never,
    });
    expect(match?.metrics.map(({ name }) => name)).toEqual(['politeness']);
    expect(match?.cover).toMatchObject({ coverage: 1, redundancy: 0, aspects: 2 });
    expect(match?.unread).toBe(0);
  });

  it('counts and omits unreadable replies', async () => {
    const mute = fakeModel({ answers: ['I would rather not say.'] });
    const desk = new JudgeClient({ model: mute, retries: 0 });
    expect(await induceMetrics(remarks, { desk, sizes: [1], signal: never })).toBeNull();
    const metrics: Metric[] = [{ name: 'm', definition: '', good: [], bad: [] }];
    expect(await examine(remarks, [], { desk, signal: never, metrics })).toMatchObject({ unread: 3, cover: { coverage: null } });
  });
});
