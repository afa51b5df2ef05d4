import type { EpisodeEvent, EpisodeRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { likenessOfRun } from './human-likeness.ts';

/** Tries at tasks, newest first, with what the helper said in each, and a store that counts the logs that are read. */
function triesAt(tasks: readonly (readonly string[])[], seat = 'customer') {
  const records: EpisodeRecord[] = [];
  const texts = new Map<string, string>();
  for (const [task, statements] of tasks.entries())
    for (const [i, text] of statements.entries()) {
      const id = `${task}-${i}`;
      texts.set(id, text);
      records.push({ id, task: { task }, cast: { agent: 'mine', [seat]: 'house:scripted' } } as unknown as EpisodeRecord);
    }
  const read: string[] = [];
  const events = async (id: string): Promise<readonly EpisodeEvent[]> => {
    read.push(id);
    return [{ kind: 'action', seat, action: { text: texts.get(id)! } } as EpisodeEvent];
  };
  return { store: { events } as unknown as Store, records, read };
}

it('likenessOfRun ignores a seat that only makes moves, after reading a sample of its episodes', async () => {
  const { store, records, read } = triesAt([Array(500).fill('[bet]'), Array(3).fill('[bid 2 3]')]);
  expect(await likenessOfRun(store, records, undefined, '/')).toBeNull();
  expect(read.length).toBe(20 + 3);
});

it('likenessOfRun reads only one log if a seat speaks and human data is missing', async () => {
  const { store, records, read } = triesAt([
    ['later', 'oldest'],
    ['other', 'words'],
  ]);
  expect(await likenessOfRun(store, records, undefined, '/')).toMatchObject({ unknown: expect.stringContaining('--humans') });
  expect(read).toEqual(['0-1']);
});

it('likenessOfRun reports nothing about students unless human data is passed', async () => {
  const { store, records } = triesAt([['I think a half is bigger.']], 'student');
  expect(await likenessOfRun(store, records, undefined, '/')).toBeNull();
});
