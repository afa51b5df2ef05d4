import { describe, expect, it } from 'vitest';
import { listOf } from './lists.ts';

describe('listOf', () => {
  it('returns the same as map and leaves the items unchanged', () => {
    const items = Object.freeze([3, 1, 2]);
    expect(listOf(items, (item, index) => `${index}: ${item}`)).toEqual(['0: 3', '1: 1', '2: 2']);
    expect(items).toEqual([3, 1, 2]);
    expect(listOf([], String)).toEqual([]);
  });
});
