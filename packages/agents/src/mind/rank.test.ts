/** @file The tables of the papers' methods, to the last digit, with the bugs of their releases as controls. */

import { describe, expect, it } from 'vitest';
import { cosine, type EmotionalStrategy, emotionalRag, euclidean, generativeAgents, normalise, type RankItem } from './rank.ts';
import { bm25, relevances, termsOf } from './relevance.ts';

const hours = [0, 2, 24, 100, 500];
const importance = [2, 9, 5, 8, 10];
const cosines = [0.3, 0.2, 0.8, 0.75, 0.1];
const table = (ages: readonly number[]): readonly RankItem[] =>
  ages.map((age, i) => ({ id: 'ABCDE'.charAt(i), age, importance: importance[i]!, relevance: cosines[i]! }));
const order = (ranked: readonly { readonly id: string }[]) => ranked.map(({ id }) => id).join('');

describe('Generative Agents ranking', () => {
  it('matches the table in the paper', () => {
    const ranked = generativeAgents(table(hours));
    expect(order(ranked)).toBe('CDBAE');
    const score = Object.fromEntries(ranked.map((rankedItem) => [rankedItem.id, rankedItem.score]));
    for (const [id, value] of Object.entries({ A: 1.2857, B: 2.007, C: 2.2516, D: 2.2493, E: 1 })) expect(score[id]).toBeCloseTo(value, 4);
    expect(ranked.find(({ id }) => id === 'C')?.parts['recency']).toBeCloseTo(0.8766, 4);
  });

  const released = { recency: 0.5, relevance: 3, importance: 2, decay: 0.99 };

  it('matches the table for the released weights, with recency in the right direction', () => {
    const ranked = generativeAgents(table([0, 1, 2, 3, 4]), released);
    expect(order(ranked)).toBe('DCBEA');
    expect(ranked.map(({ score }) => Number(score.toFixed(3)))).toEqual([4.409, 3.997, 2.552, 2, 1.357]);
  });

  it('gives the documented wrong order when recency is reversed', () => {
    expect(order(generativeAgents(table([4, 3, 2, 1, 0]), released))).toBe('DCEBA');
  });

  it('normalizes over the candidates, with 0.5 if all are equal', () => {
    expect(normalise([2, 4, 3])).toEqual([0, 1, 0.5]);
    expect(normalise([7, 7])).toEqual([0.5, 0.5]);
    expect(generativeAgents([])).toEqual([]);
  });
});

describe('Emotional RAG ranking', () => {
  const query = { context: [1, 0], emotion: [8, 1, 1, 1, 2, 1, 1, 3] };
  const memories: readonly (readonly [string, readonly number[], readonly number[]])[] = [
    ['m1', [0.9, 0.1], [1, 1, 8, 1, 7, 1, 1, 1]],
    ['m2', [0.6, 0.4], [8, 2, 1, 1, 1, 1, 1, 4]],
    ['m3', [0.2, 0.8], [8, 1, 1, 1, 2, 1, 1, 3]],
    ['m4', [0.95, 0.05], [2, 1, 1, 1, 8, 5, 7, 1]],
  ];
  const candidates = memories.map(([id, context, emotion]) => ({
    id,
    age: 0,
    importance: 1,
    relevance: 0,
    distance: euclidean(query.context, context),
    emotion,
  }));

  it('computes the distances of the reference card', () => {
    const parts = emotionalRag(candidates, 'C-A', { emotion: query.emotion });
    const of = (id: string) => parts.find((part) => part.id === id)?.parts;
    for (const [id, meaning, emotion] of [
      ['m1', 0.1414, 0.6254],
      ['m2', 0.5657, 0.0167],
      ['m3', 1.1314, 0],
      ['m4', 0.0707, 0.543],
    ] as const) {
      expect(of(id)?.['meaning']).toBeCloseTo(meaning, 4);
      expect(of(id)?.['emotion']).toBeCloseTo(emotion, 4);
    }
  });

  it.each<[EmotionalStrategy, string]>([
    ['C-A', 'm2 m4'],
    ['C-M', 'm3 m2'],
    ['S-C', 'm2 m4'],
    ['S-S', 'm4 m2'],
  ])('ranks with %s as %s', (strategy, best) => {
    const ranked = emotionalRag(candidates, strategy, { emotion: query.emotion, first: 3 });
    expect(
      ranked
        .slice(0, 2)
        .map(({ id }) => id)
        .join(' '),
    ).toBe(best);
  });

  it('matches the reference sums and products, and ranks differently by meaning alone', () => {
    expect(
      emotionalRag(candidates, 'C-A', query)
        .slice(0, 2)
        .map(({ score }) => -Number(score.toFixed(4))),
    ).toEqual([0.5824, 0.6137]);
    expect(-(emotionalRag(candidates, 'C-M', query)[1]?.score ?? 0)).toBeCloseTo(0.0095, 4);
    expect(
      [...candidates]
        .sort((a, b) => a.distance - b.distance)
        .slice(0, 2)
        .map(({ id }) => id),
    ).toEqual(['m4', 'm1']);
  });
});

describe('relevance', () => {
  it('matches BM25 computed by hand', () => {
    // Two documents of 3 and 1 words, mean 2; "lamp" is in the first only: idf ln(1 + 1.5/1.5) = ln 2, tf 1.
    const [first, second] = bm25(['lamp'], [['old', 'lamp', 'here'], ['door']]);
    expect(first).toBeCloseTo((Math.log(2) * 2.2) / (1 + 1.2 * (0.25 + 0.75 * 1.5)), 12);
    expect(second).toBe(0);
    expect(bm25([], [['x']])).toEqual([0]);
    expect(bm25(['x'], [])).toEqual([]);
  });

  it('prefers rare words and matches word endings by stem', () => {
    const documents = ['the lamp and the door', 'the door was open', 'a door, a door'].map(termsOf);
    const [a, b, c] = bm25(termsOf('lamps at the door'), documents) as [number, number, number];
    expect(a).toBeGreaterThan(Math.max(b, c));
    expect(termsOf('He promised promises, promising a promise')).toEqual(['promis', 'promis', 'promis', 'promis']);
  });

  it('is the cosine similarity with an embedding', async () => {
    const embed = async (texts: readonly string[]) => texts.map((text) => (text === 'q' ? [1, 0] : text === 'a' ? [2, 0] : [1, 1]));
    expect(await relevances('q', ['a', 'b'], embed)).toEqual([1, expect.closeTo(Math.SQRT1_2, 12)]);
    expect(cosine([0, 0], [1, 1])).toBe(0);
  });
});
