/** @file Sentences against a profile: what shows it, what contradicts it, and what none of them shows. */

import { parsePersona } from '@ludus-agents/agents/internal/personas/index';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { episode, inputOf, speak } from '../logs.cases.ts';
import { alignmentScorer } from './alignment.ts';
import { lexicalEmbedder, lexicalNli } from './lexical.ts';
import type { Nli } from './small.ts';

const ann = parsePersona({
  name: 'Ann Archer',
  statements: ['Ann Archer repairs clocks in the market square.', { text: 'Ann Archer drinks wine.', polarity: 'must_not' }],
  identity: { personal: { bigFive: { A: { score: 88 }, E: { score: 50 } } } },
  relations: [{ to: 'Teo Marsh', affinity: -0.8 }],
} as unknown as Json) as unknown as Json;

/** A reader that knows a few paraphrases. */
const reader: Nli = {
  ...{ name: 'reader', basis: 'model' },
  classify: async (pairs) =>
    pairs.map(({ premise, hypothesis }) => {
      const is = (entry: string, words: string) => premise.includes(entry) && hypothesis.includes(words);
      const contradicts = Number(is('dislikes Teo', 'dear to me') || is('repairs clocks', 'touched a cogwheel'));
      const entails = Number(is('repairs clocks', 'mend timepieces'));
      return { entails, contradicts, neutral: 1 - entails - contradicts };
    }),
};

it('shows a reader the name in place of the macros of a card', async () => {
  const premises: string[] = [];
  const listening: Nli = {
    ...{ name: 'reader', basis: 'model' },
    classify: async (pairs) => {
      premises.push(...pairs.map(({ premise }) => premise));
      return pairs.map(() => ({ entails: 0, contradicts: 0, neutral: 1 }));
    },
  };
  const persona = parsePersona({ name: 'Odile', statements: ['{{char}} distrusts {{user}}.'] }) as unknown as Json;
  const log = episode({ seats: ['ann', 'guest'], events: speak('ann', 'I keep bees.', ['guest']) });
  const input = { ...inputOf(log), seat: 'ann', persona };
  await alignmentScorer({ nli: listening, embedder: lexicalEmbedder }).score(input, new AbortController().signal);
  expect(premises).toEqual(['Odile distrusts the visitor.']);
});

const aligned = async (nli: Nli, ...texts: string[]) => {
  const log = episode({ seats: ['ann', 'guest'], events: texts.flatMap((text) => speak('ann', text, ['guest'])) });
  const [score] = await alignmentScorer({ nli, embedder: lexicalEmbedder }).score(
    { ...inputOf(log), seat: 'ann', persona: ann },
    new AbortController().signal,
  );
  return score;
};

describe('sentence-alignment', () => {
  it('reports what each sentence shows of the profile, and the share that shows nothing', async () => {
    const score = await aligned(lexicalNli, 'I repair clocks here in the market square. It rains.');
    expect(score).toMatchObject({ value: 1, parts: { character: 1, personality: null, relationship: null, sentences: 2 } });
    expect(score?.parts?.['shown']).toBeCloseTo(1 / 4, 10);
    expect(JSON.stringify(score?.provenance)).toContain('lexical fallback');
  });

  it('drops with a contradiction, quotes it first, and names the entry', async () => {
    const score = await aligned(lexicalNli, 'I repair clocks in the market square.', 'I never repair clocks in the market square.');
    expect(score?.value).toBe(0.5);
    expect(score?.evidence[0]).toMatchObject({ supports: false, quote: 'I never repair clocks in the market square.' });
    expect(score?.evidence[0]?.note).toContain('repairs clocks');
  });

  it('uses a reader for paraphrases, which word matching misses', async () => {
    const lines = ['I mend timepieces.', 'Teo is dear to me.', 'I have not touched a cogwheel.'];
    expect(await aligned(reader, ...lines)).toMatchObject({ parts: { character: 0.5, relationship: 0 } });
    expect(await aligned(lexicalNli, 'I mend timepieces.')).toMatchObject({ value: null, status: 'not-applicable' });
  });
});
