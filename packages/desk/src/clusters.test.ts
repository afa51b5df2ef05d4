/** @file Groups of conversations: kinds that differ in their words are told apart, the order does not matter, and odd ones stay alone; by meaning, whatever their words. */

import type { Embedder } from '@ludus-agents/agents/internal/encoders/encoder';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { clusterTexts } from './clusters.ts';

const things = ['bell', 'saddle', 'chain', 'lamp', 'pedals', 'helmet'];
const kinds = {
  refund: (thing: string) => `I want a refund of the money I paid for the ${thing}, please refund it.`,
  delivery: (thing: string) => `Where is my parcel with the ${thing}? The delivery is late, the courier never came.`,
  password: (thing: string) => `I cannot log in, my password was reset while I ordered a ${thing}. Login fails.`,
};
const texts = Object.entries(kinds).flatMap(([kind, say]) => things.map((thing) => ({ kind, text: say(thing) })));

describe('conversation clusters', () => {
  it('match the written kinds in any order and are named by their words', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const order = rng(seed, 'clusters').shuffle(texts);
      const textClusters = await clusterTexts(order.map(({ text }) => text));
      const groups = textClusters.map(({ members }) => [...new Set(members.map((i) => order[i]!.kind))]);
      expect(groups.map((group) => group.length)).toEqual([1, 1, 1]);
      expect(textClusters.map(({ members }) => members.length)).toEqual([6, 6, 6]);
      for (const [i, { name }] of textClusters.entries()) if (groups[i]![0] === 'refund') expect(name).toMatch(/money|refund/);
    }
  });

  it('leave outliers alone and are empty without texts', async () => {
    const textClusters = await clusterTexts([...texts.map(({ text }) => text), 'Do you sell giraffes?']);
    expect(textClusters.at(-1)?.members).toEqual([texts.length]);
    expect(await clusterTexts([])).toEqual([]);
    expect((await clusterTexts(['', '']))[0]?.name).toBe('other');
  });

  it('group by meaning despite different words, with the similarity scale of the encoder', async () => {
    const said = ['Give me my money back.', 'Refund the amount, please.', 'Where is my parcel?', 'The courier never came.'];
    // Unrelated sentences of this encoder have a similarity of .8.
    const encoder: Embedder = {
      ...{ name: 'two-dimensional', basis: 'model', likeness: [0.8, 0.99] },
      embed: async (sentences) => sentences.map((text) => Float32Array.from(/money|amount/.test(text) ? [1, 0] : [0.9, 0.436])),
    };
    const groups = async (by: Embedder | null) => (await clusterTexts(said, by)).map(({ members }) => members);
    expect(await groups(encoder)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect((await groups(null)).length).toBeGreaterThan(2);
    expect((await clusterTexts(said, encoder))[0]!.name).toMatch(/money|refund|amount/);
  });
});
