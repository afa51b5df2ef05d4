/** @file Labels, blind pairs, and marks: the latest label of each person counts, and no text is lost. */

import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { choose } from './exports/index.ts';
import { putMarks, readMarks } from './marks.ts';
import { memoryStore } from './memory.ts';
import { putReviewShares, readReviewShares, shareOf } from './review-shares.ts';
import { addReview, blindPairs, readReviews, readTurnLabels, withdrawReview, withoutLabel } from './reviews.ts';

async function storeOf(...casts: readonly string[]) {
  const store = memoryStore();
  for (const [i, name] of casts.entries()) {
    const [agent, seed = '1'] = name.split('#') as [string, string?];
    const start = { kind: 'start', environment: 'x@1', task: { n: 1 }, seed: Number(seed), seats: ['a'], cast: { a: agent } } as const;
    const end = { kind: 'end', reason: 'over', returns: { a: i }, penalties: {}, turns: 0 } as const;
    await store.append(`e${i}`, 0, [start, end] as readonly EpisodeEvent[]);
  }
  return store;
}

describe('reviews', () => {
  it('keep the latest label per person and episode, and the labels of all people', async () => {
    const store = await storeOf('one', 'two');
    const said = (label: string, by: string, at: number) => addReview(store, { episode: 'e0', label, by, at });
    await said('good', 'ann', 1);
    await said('bad', 'ben', 2);
    await said('bad', 'ann', 3);
    expect((await readReviews(store)).map(({ by, label }) => `${by} ${label}`)).toEqual(['ann bad', 'ben bad']);
    expect(withoutLabel(await store.episodes(), await readReviews(store), 'ann').map(({ id }) => id)).toEqual(['e1']);
  });

  it('of single turns leave the episode waiting for a review', async () => {
    const store = await storeOf('one');
    for (const label of ['bad', 'good']) await addReview(store, { episode: 'e0', event: 1, label, by: 'ann', at: 1 });
    expect((await readTurnLabels(store, 'e0')).map(({ event, label }) => [event, label])).toEqual([[1, 'good']]);
    expect([await readReviews(store), await readTurnLabels(store, 'e1')]).toEqual([[], []]);
    expect(withoutLabel(await store.episodes(), await readReviews(store), 'ann')).toHaveLength(1);
    await expect(withdrawReview(store, { episode: 'e0', by: 'ann' })).rejects.toThrow('no label');
    await withdrawReview(store, { episode: 'e0', event: 1, by: 'ann' });
    expect(await readTurnLabels(store, 'e0')).toEqual([]);
  });

  it('are assigned: each episode to one person, some to all, and all if the person is not listed', async () => {
    const store = await storeOf(...Array.from({ length: 60 }, (_, i) => `one#${i}`));
    const episodes = await store.episodes();
    await putReviewShares(store, { run: '', people: ['ann', 'ben'], overlap: 0 });
    await putReviewShares(store, { run: 'r', people: [], overlap: 0 });
    expect(await readReviewShares(store, 'r')).toBeNull();
    const shares = await readReviewShares(store, '');
    const [ann, ben] = ['ann', 'ben'].map((by) => shareOf(episodes, shares, by).map(({ id }) => id)) as [string[], string[]];
    expect([...ann, ...ben].sort()).toEqual(episodes.map(({ id }) => id).sort());
    expect(Math.min(ann.length, ben.length)).toBeGreaterThan(15);
    expect(shareOf(episodes, shares, 'cat')).toHaveLength(60);
    expect(shareOf(episodes, { run: '', people: ['ann', 'ben'], overlap: 1 }, 'ben')).toHaveLength(60);
    await expect(putReviewShares(store, { run: '', people: ['ann', 'ann'], overlap: 0 })).rejects.toThrow('unique names');
  });

  it('are not lost under concurrent writes', async () => {
    const store = await storeOf('one');
    await Promise.all(Array.from({ length: 12 }, (_, i) => addReview(store, { episode: 'e0', label: 'good', by: `p${i}`, at: i })));
    expect(await readReviews(store)).toHaveLength(12);
  });

  it('pair unjudged episodes of the same task and seed with different casts, in a neutral order', async () => {
    const store = await storeOf('one', 'two', 'two', 'one#2', 'one', 'three#2');
    const pairs = blindPairs(await store.episodes(), [], 'ann');
    const named = pairs.map(({ episode, against }) => [episode.cast['a'], against.cast['a']].sort().join(' '));
    expect(named.sort()).toEqual(['one three', 'one two']);
    const [{ episode, against }] = pairs as [(typeof pairs)[0]];
    await addReview(store, { episode: against.id, against: episode.id, label: 'tie', by: 'ann', at: 1 });
    expect(blindPairs(await store.episodes(), await readReviews(store), 'ann')).toHaveLength(1);
    expect(blindPairs(await store.episodes(), await readReviews(store), 'ben')).toHaveLength(2);
    const many = await storeOf(...Array.from({ length: 60 }, (_, i) => [`one#${i}`, `two#${i}`]).flat());
    const firsts = blindPairs(await many.episodes(), [], 'ann').filter(({ episode }) => episode.cast['a'] === 'one').length;
    expect([firsts > 15, firsts < 45]).toEqual([true, true]);
  });

  it('reject unknown episodes and empty reviews', async () => {
    const store = await storeOf('one', 'two');
    const wrong = (review: object) => addReview(store, { episode: 'e0', label: 'good', by: 'ann', at: 1, ...review });
    await expect(wrong({ episode: 'e9' })).rejects.toThrow('Episode "e9" not found');
    await expect(wrong({ against: 'e0', label: 'tie' })).rejects.toThrow('A pair needs two different episodes.');
    await expect(wrong({ against: 'e1' })).rejects.toThrow('be one of episode, against, tie, but got "good".');
    await expect(wrong({ by: '' })).rejects.toThrow('by');
    expect(await readReviews(store)).toEqual([]);
  });
});

describe('marks', () => {
  it('update the given fields and keep the others', async () => {
    const store = await storeOf('one');
    await putMarks(store, 'episode', 'e0', { star: true, tags: ['odd'] });
    await putMarks(store, 'episode', 'e0', { star: false, note: 'Look again.' });
    expect(Object.fromEntries(await readMarks(store, 'episode'))).toEqual({ e0: { star: false, tags: ['odd'], note: 'Look again.' } });
    expect((await readMarks(store, 'run')).size).toBe(0);
    await expect(putMarks(store, 'run', 'nothing', { star: true })).rejects.toThrow('No run "nothing"');
    // A dataset of a tag has what carries it, and nothing else.
    const chosen = async (tag: string) => (await choose(store, { tag })).map(({ id }) => id);
    expect([await chosen('odd'), await chosen('even')]).toEqual([['e0'], []]);
  });
});
