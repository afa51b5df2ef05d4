import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../../test/fixtures/property.ts';
import { carry } from './carry.ts';

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;

describe('carry', () => {
  it.each<[string, Json, Json, Json, Json | undefined]>([
    ['keeps unknown fields', { a: 1, odd: true }, { a: '1' }, { a: '2' }, { a: '2', odd: true }],
    ['keeps the original spelling of unchanged fields', { a: 1, b: ' x ' }, { a: 1, b: 'x' }, { a: 2, b: 'x' }, { a: 2, b: ' x ' }],
    ['does not add defaults', { a: 1 }, { a: 1, tags: [] }, { a: 2, tags: [] }, { a: 2 }],
    ['removes what the edit removed', { a: 1, b: 2 }, { a: 1, b: 2 }, { a: 1 }, { a: 1 }],
    [
      'tracks moved and removed items',
      [
        { n: 1, odd: 1 },
        { n: 2, odd: 2 },
      ],
      [{ n: 1 }, { n: 2 }],
      [{ n: 2 }],
      [{ n: 2, odd: 2 }],
    ],
    [
      'edits an item in place',
      [
        { n: 1, odd: 1 },
        { n: 2, odd: 2 },
      ],
      [{ n: 1 }, { n: 2 }],
      [{ n: 1 }, { n: 3 }],
      [
        { n: 1, odd: 1 },
        { n: 3, odd: 2 },
      ],
    ],
    [
      'recognizes an edited item by its id',
      [
        { id: 'a', t: 1, odd: 1 },
        { id: 'b', t: 2, odd: 2 },
      ],
      [
        { id: 'a', t: 1 },
        { id: 'b', t: 2 },
      ],
      [{ id: 'b', t: 9 }],
      [{ id: 'b', t: 9, odd: 2 }],
    ],
    ['matches equal items in order', ['x', 'x', 'y'], ['1', '1', '2'], ['1', '2', '1'], ['x', 'y', 'x']],
    ['replaces a list that was read in another shape', ['a, b'], ['a', 'b'], ['a', 'c'], ['a', 'c']],
  ])('%s', (_, original, before, after, expected) => {
    expect(carry(original, before, after)).toEqual(expected);
  });

  it('returns the original when nothing changed', () => {
    fc.assert(
      fc.property(json, json, (original, view) => {
        expect(carry(original, view, view)).toBe(original);
      }),
      { seed: 3 },
    );
  });

  it('returns exactly the edit when everything was read', () => {
    fc.assert(
      fc.property(json, json, (original, edited) => {
        expect(carry(original, original, edited)).toEqual(edited);
      }),
      { numRuns: 300, seed: 4 },
    );
  });

  it('keeps __proto__ as an ordinary key', () => {
    const original = JSON.parse('{"__proto__": {"x": 1}, "a": 1}') as Json;
    expect(JSON.stringify(carry(original, { a: 1 }, { a: 2 }))).toBe('{"__proto__":{"x":1},"a":2}');
  });
});
