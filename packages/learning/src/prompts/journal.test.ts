import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Journal } from './journal.ts';

describe('journal', () => {
  it('writes concurrent entries together in order, and confirms each when stored', async () => {
    const written: (readonly [number, readonly Json[]])[] = [];
    const gates: (() => void)[] = [];
    const journal = new Journal(['old'], (index, entries) => {
      written.push([index, entries]);
      return new Promise((resolve) => gates.push(resolve));
    });
    const [a, b] = [journal.append('a'), journal.append('b')];
    await new Promise(setImmediate);
    const c = journal.append('c');
    expect(written).toEqual([[1, ['a', 'b']]]);
    gates[0]?.();
    // What was stored first does not wait for what came later.
    await Promise.all([a, b]);
    await Promise.resolve();
    expect(written[1]).toEqual([3, ['c']]);
    gates[1]?.();
    await c;
    await journal.settled();
    expect(journal.kept).toEqual(['old']);
  });

  it('has no gaps: after a failure it stores nothing and reports the error to every caller', async () => {
    let fails = true;
    const stored: Json[] = [];
    const journal = new Journal([], async (_, entries) => {
      if (fails) throw new Error('disk full');
      stored.push(...entries);
    });
    await expect(journal.append('a')).rejects.toThrow('disk full');
    fails = false;
    await expect(journal.append('b')).rejects.toThrow('disk full');
    await expect(journal.settled()).rejects.toThrow('disk full');
    expect(stored).toEqual([]);
  });
});
