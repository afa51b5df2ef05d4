import { describe, expect, it } from 'vitest';
import { addComment, comparisonId, readComments, removeComment } from './comments.ts';
import { memoryStore } from './memory.ts';

describe('comments', () => {
  it('are stored with a run in order and removed one by one', async () => {
    const store = memoryStore();
    await store.putRun({ id: 'a', plan: { environments: [], seeds: [], casts: [] }, episodes: 0 });
    await addComment(store, 'run', 'a', { text: 'Too slow.', by: 'Ann', at: 1 });
    await addComment(store, 'run', 'a', { text: 'Fixed.', by: 'Ben', at: 2 });
    expect((await readComments(store, 'run', 'a')).map(({ text, by }) => [text, by])).toEqual([
      ['Too slow.', 'Ann'],
      ['Fixed.', 'Ben'],
    ]);
    const [first] = await readComments(store, 'run', 'a');
    await removeComment(store, first!.number);
    expect((await readComments(store, 'run', 'a')).map(({ text }) => text)).toEqual(['Fixed.']);
    await expect(removeComment(store, 99)).rejects.toThrow(/not found/);
    const id = comparisonId({ a: 'ann', b: 'ben', run: '' });
    await addComment(store, 'comparison', id, { text: 'Close.', by: 'Ann', at: 3 });
    expect((await readComments(store, 'comparison', id)).map(({ text }) => text)).toEqual(['Close.']);
    await expect(addComment(store, 'comparison', 'ann', { text: 'x', by: 'Ann', at: 3 })).rejects.toThrow(/No comparison/);
    await expect(addComment(store, 'episode', 'nobody', { text: 'x', by: 'Ann', at: 3 })).rejects.toThrow(/No episode/);
  });
});
