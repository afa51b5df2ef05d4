import { describe, expect, it } from 'vitest';
import { PromiseCache } from './promise-cache.ts';

describe('PromiseCache', () => {
  it('creates each value once, even for concurrent callers', async () => {
    const cache = new PromiseCache<number>();
    let madeCount = 0;
    const slow = Promise.withResolvers<number>();
    const make = () => {
      madeCount++;
      return slow.promise;
    };
    const requests = [cache.get('a', make), cache.get('a', make)];
    slow.resolve(7);
    expect(await Promise.all([...requests, cache.get('a', make)])).toEqual([7, 7, 7]);
    expect(madeCount).toBe(1);
  });

  it('retries after a failure, whether thrown or rejected', async () => {
    const cache = new PromiseCache<number>();
    const fail = () => {
      throw new Error('no');
    };
    await expect(cache.get('a', fail)).rejects.toThrow('no');
    await expect(cache.get('a', () => Promise.reject(new Error('later')))).rejects.toThrow('later');
    expect(await cache.get('a', () => 1)).toBe(1);
    expect(await cache.get('a', fail)).toBe(1);
  });

  it('evicts the oldest value when it is full', async () => {
    const cache = new PromiseCache<string>(2);
    for (const key of ['a', 'b', 'c']) await cache.get(key, () => key);
    expect(await cache.get('b', () => 'again')).toBe('b');
    expect(await cache.get('a', () => 'again')).toBe('again');
  });

  it('returns all values once when taken', async () => {
    const cache = new PromiseCache<string>();
    await cache.get('a', () => 'one');
    expect(await Promise.all(cache.take())).toEqual(['one']);
    expect(cache.take()).toEqual([]);
  });
});
