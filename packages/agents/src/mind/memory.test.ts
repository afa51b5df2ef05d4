/** @file The store in two times: intervals, tombstones and visibility; and a world of conflicting facts in which only validity answers right. */

import { type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';
import { emptyMemory, holds, type Memory, remember, restore, retract, touch, trimMemory, valid } from './memory.ts';
import { cosine, generativeAgents, type RankItem } from './rank.ts';
import { firstOfEach } from './recall.ts';

const fact = (key: string, text: string, more = {}) => ({ kind: 'fact' as const, key, text, owner: 'me', ...more });
const texts = (memory: Memory, at: number, more = {}) => valid(memory, { at, viewer: 'me', ...more }).map(({ text }) => text);

describe('bi-temporal memory', () => {
  it('replaces records by key and still answers for earlier times', () => {
    let memory = remember(emptyMemory, fact('lamp', '30'), 1);
    memory = remember(memory, fact('lamp', '40'), 5);
    memory = remember(memory, fact('door', 'open'), 6);
    expect(texts(memory, 6)).toEqual(['40', 'open']);
    expect(texts(memory, 4)).toEqual(['30']);
    expect(texts(memory, 0)).toEqual([]);
    // As it was known at turn 4, the lamp would still have cost 30 at turn 6.
    expect(texts(memory, 6, { known: 4 })).toEqual(['30']);
  });

  it('accepts late facts about earlier times without losing newer ones', () => {
    let memory = remember(emptyMemory, fact('king', 'Ada', { validFrom: 10 }), 10);
    memory = remember(memory, fact('king', 'Bob', { validFrom: 4 }), 12);
    expect(texts(memory, 12)).toEqual(['Ada']);
    expect(texts(memory, 5, { known: 12 })).toEqual(['Bob']);
    expect(texts(memory, 5, { known: 11 })).toEqual([]);
  });

  it('never has two values for one key at the same time, in any order of insertion', () => {
    const entries = fc.array(fc.tuple(fc.nat(3), fc.nat(20)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(entries, (list) => {
        let memory = emptyMemory;
        list.forEach(([key, from], i) => {
          memory = remember(memory, fact(`k${key}`, `v${i}`, { validFrom: from }), 20 + i);
        });
        for (let at = 0; at <= 20; at++)
          for (let key = 0; key <= 3; key++) {
            const memoryRecords = valid(memory, { at, known: 99, viewer: 'me' }).filter((memoryRecord) => memoryRecord.key === `k${key}`);
            const wanted = list
              .map(([k, from], i) => ({ k, from, i }))
              .filter(({ k, from }) => k === key && from <= at)
              .sort((a, b) => b.from - a.from || b.i - a.i)[0];
            expect(memoryRecords.map(({ text }) => text)).toEqual(wanted === undefined ? [] : [`v${wanted.i}`]);
          }
        expect(memory.records).toHaveLength(list.length);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('shows records only to their owner and the agents they are shared with', () => {
    const memory = remember(emptyMemory, fact('plan', 'flee', { sharedWith: ['ann'] }), 1);
    const record = memory.records[0]!;
    expect(['me', 'ann', 'bob'].map((viewer) => holds(record, { at: 2, viewer }))).toEqual([true, true, false]);
    // Another owner's record under the same key is another matter.
    expect(texts(remember(memory, { ...fact('plan', 'stay'), owner: 'bob' }, 2), 3)).toEqual(['flee']);
  });

  it('marks deletions with tombstones that can be restored, and counts recalls', () => {
    const memory = remember(emptyMemory, fact('a', 'x'), 1);
    const gone = retract(memory, ['m1'], 3);
    expect(texts(gone, 5)).toEqual([]);
    expect(texts(gone, 2)).toEqual(['x']);
    expect(restore(gone, ['m1'])).toEqual(memory);
    expect(touch(memory, [], 9)).toBe(memory);
    expect(touch(memory, ['m1'], 9).records[0]).toMatchObject({ recalls: 1, lastRecall: 9 });
  });

  it('rejects reflections without evidence and trims expired records first', () => {
    expect(() => remember(emptyMemory, { kind: 'reflection', text: 'x', owner: 'me' }, 1)).toThrow('needs the ids of its evidence, but "');
    let memory = emptyMemory;
    for (let i = 0; i < 5; i++) memory = remember(memory, fact(i < 3 ? 'same' : `k${i}`, `v${i}`), i);
    expect(trimMemory(memory, 3).records.map(({ text }) => text)).toEqual(['v2', 'v3', 'v4']);
    expect(trimMemory(memory, 9)).toBe(memory);
  });
});

describe('environment of conflicting facts', () => {
  const keys = 40;
  const facts = 240;

  interface Told {
    readonly key: number;
    readonly value: number;
    readonly vector: readonly number[];
    readonly importance: number;
  }

  function normal(dice: Rng): number {
    return Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
  }
  const near = (key: number, dice: Rng) => Array.from({ length: keys }, (_, i) => (i === key ? 1 : 0) + 0.35 * normal(dice));

  /** Shares of right answers over one and two steps, of a way to recall five facts about a key. */
  function answered(
    seed: number,
    recall: (observations: readonly Told[], key: number, query: readonly number[]) => readonly Told[],
  ): readonly [number, number] {
    const dice = rng(seed, 'facts');
    const observations: Told[] = Array.from({ length: facts }, () => {
      const key = dice.int(keys);
      return { key, value: dice.int(keys), vector: near(key, dice), importance: 1 + dice.int(10) };
    });
    const truth = new Map(observations.map(({ key, value }) => [key, value]));
    const read = (key: number) =>
      recall(observations, key, near(key, dice))
        .slice(0, 5)
        .find((item) => item.key === key)?.value;
    let [one, two, requestCount, askedTwice] = [0, 0, 0, 0];
    for (const [key, value] of truth) {
      requestCount++;
      const first = read(key);
      if (first === value) one++;
      if (!truth.has(value)) continue;
      askedTwice++;
      const second = first === undefined ? undefined : read(first);
      if (second === truth.get(value) && second !== undefined) two++;
    }
    return [one / requestCount, two / askedTwice];
  }
  const mean = (recall: Parameters<typeof answered>[1]) => {
    const all = Array.from({ length: 20 }, (_, seed) => answered(seed, recall));
    return [0, 1].map((i) => all.reduce((sum, item) => sum + item[i]!, 0) / all.length) as [number, number];
  };
  const candidates = (observations: readonly Told[], query: readonly number[]): readonly RankItem[] =>
    observations.map((item, i) => ({
      id: String(i),
      age: observations.length - i,
      importance: item.importance,
      relevance: cosine(query, item.vector),
    }));
  const picked = (observations: readonly Told[], ranked: readonly { readonly id: string }[]) =>
    ranked.map(({ id }) => observations[Number(id)]!);

  it('is solved by validity for one-step and two-step questions', () => {
    const stores = new Map<readonly Told[], Memory>();
    const store = (observations: readonly Told[]) => {
      const store =
        stores.get(observations) ??
        observations.reduce((memory, { key }, i) => remember(memory, fact(`k${key}`, String(i)), i), emptyMemory);
      stores.set(observations, store);
      return store;
    };
    const byValidity = mean((observations, key) =>
      valid(store(observations), { at: facts, viewer: 'me' })
        .filter((memoryRecord) => memoryRecord.key === `k${key}`)
        .map(({ text }) => observations[Number(text)]!),
    );
    expect(byValidity).toEqual([1, 1]);
  });

  it('is not solved by ranking alone', () => {
    const bySimilarity = mean((observations, _, query) =>
      picked(
        observations,
        [...candidates(observations, query)].sort((a, b) => b.relevance - a.relevance),
      ),
    );
    const byPaper = mean((observations, _, query) => picked(observations, generativeAgents(candidates(observations, query))));
    const byWindow = mean((observations) => observations.slice(-120).reverse().slice(0, 5));
    for (const [value, two] of [bySimilarity, byPaper, byWindow]) {
      expect(value).toBeLessThan(0.7);
      expect(two).toBeLessThan(0.45);
    }
    expect(bySimilarity[0]).toBeLessThan(0.35);
  });
});

describe('repeated texts', () => {
  it('take one place, that of the first', () => {
    const items = ['Ann: The vase broke.', 'Ben: Hello.', 'ann:  the vase broke.'].map((text, id) => ({ id, text }));
    expect(firstOfEach(items, ({ text }) => text).map(({ id }) => id)).toEqual([0, 1]);
  });
});
