import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GroupCommit } from './group-commit.ts';
import { rejectionOf } from './logs.cases.ts';

/** A group commit over a disk that answers when it is released. */
function desk(delay = 1) {
  const batches: {
    readonly writes: readonly string[];
    readonly finish: (refusals: (Fault | null)[]) => void;
    readonly fail: (reason: unknown) => void;
  }[] = [];
  const commits = new GroupCommit<string>(
    (writes) => {
      const { promise, resolve, reject } = Promise.withResolvers<(Fault | null)[]>();
      batches.push({ writes, finish: resolve, fail: reject });
      return promise;
    },
    { delay, writerOf: (write) => Number.parseInt(write, 10) || undefined },
  );
  const batch = async (at: number) => {
    while (batches[at] === undefined) await vi.advanceTimersByTimeAsync(1);
    return batches[at];
  };
  return { commits, batch, batches };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('group commit', () => {
  it('[S20] batches writes that arrive together, and later ones for the next commit', async () => {
    const { commits, batch, batches } = desk();
    const first = ['a', 'b', 'c'].map((write) => commits.add(write, 1));
    const item = await batch(0);
    const second = ['d', 'e'].map((write) => commits.add(write, 1));
    expect(item.writes).toEqual(['a', 'b', 'c']);
    item.finish([null, null, null]);
    await Promise.all(first);
    const two = await batch(1);
    expect(two.writes).toEqual(['d', 'e']);
    two.finish([null, null]);
    await Promise.all(second);
    await commits.settle();
    expect(batches).toHaveLength(2);
  });

  it('[S20] commits writes that arrive after a commit was already scheduled', async () => {
    const { commits, batch } = desk();
    const pause = () => vi.advanceTimersByTimeAsync(10);
    const first = commits.add('a', 1);
    const item = await batch(0);
    const second = commits.add('b', 1);
    await pause();
    const third = commits.add('c', 1);
    await pause();
    item.finish([null]);
    const two = await batch(1);
    expect(two.writes).toEqual(['b', 'c']);
    two.finish([null, null]);
    await Promise.all([first, second, third]);
    const fourth = commits.add('d', 1);
    (await batch(2)).finish([null]);
    await fourth;
  });

  it('[S20] does not wait for a large batch or when asked to settle', async () => {
    const { commits, batch } = desk(3_600_000);
    const large = commits.add('large', 2 ** 21);
    (await batch(0)).finish([null]);
    await large;
    const small = commits.add('small', 1);
    const settled = commits.settle();
    (await batch(1)).finish([null]);
    await Promise.all([small, settled]);
  });

  it('[S24] rejects one write of a batch and keeps the others', async () => {
    const { commits, batch } = desk();
    const writes = ['good', 'bad', 'good'].map((write) => commits.add(write, 1));
    const refusal = rejectionOf(writes[1]!);
    (await batch(0)).finish([null, new Fault('store', 'Not this one.'), null]);
    await Promise.all([writes[0], writes[2]]);
    expect(await refusal).toBe('Not this one.');
  });

  it('[S24] also fails writes that arrived during a failed batch, then starts over', async () => {
    const { commits, batch, batches } = desk();
    const failing = rejectionOf(commits.add('a', 1));
    const item = await batch(0);
    const meanwhile = rejectionOf(commits.add('b', 1));
    item.fail(new Error('the disk said no'));
    expect(await failing).toBe('Nothing was stored: the disk said no.');
    expect(await meanwhile).toBe('Nothing was stored: the disk said no.');
    await commits.settle();
    const after = commits.add('c', 1);
    const two = await batch(1);
    expect(two.writes).toEqual(['c']);
    two.finish([null]);
    await after;
    expect(batches).toHaveLength(2);
  });

  it('[S21] also rejects later writes of the same writer, and keeps those of others', async () => {
    const { commits, batch } = desk();
    const first = rejectionOf(commits.add('1:a', 1));
    const item = await batch(0);
    const second = rejectionOf(commits.add('1:b', 1));
    const other = commits.add('2:a', 1);
    item.finish([new Fault('store', 'Not this one.')]);
    expect(await first).toBe('Not this one.');
    const third = rejectionOf(commits.add('1:c', 1));
    const two = await batch(1);
    expect(two.writes).toEqual(['2:a']);
    two.finish([null]);
    await other;
    expect(await Promise.all([second, third])).toEqual(['Not this one.', 'Not this one.']);
  });
});
