/** @file Bounded JSON: the limits are exact, and within them the result equals that of `JSON.parse`. */

import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';
import type { Json } from './json.ts';
import { JsonFault, jsonLimits, parseJson } from './parse-json.ts';

function reasonFor(text: string, limits = {}): string | null {
  try {
    parseJson(text, limits);
    return null;
  } catch (thrown) {
    return thrown instanceof JsonFault ? thrown.reason : `not a JsonFault: ${thrown}`;
  }
}

/** Nested arrays around a number. */
const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

/** Counts levels by walking the value. */
function levelsIn(value: Json): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsIn));
}

describe('parseJson', () => {
  it('returns the same as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('counts nesting levels exactly and ignores brackets in strings', () => {
    const strings = fc.stringMatching(/^[[\]{}"\\a:,]{0,12}$/);
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        strings,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(strings, tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(values, (value) => {
        const levels = levelsIn(value as Json);
        const text = JSON.stringify(value);
        expect(reasonFor(text, { depth: levels })).toBeNull();
        if (levels > 0) expect(reasonFor(text, { depth: levels - 1 })).toBe('depth');
      }),
      { numRuns: 500, seed: 2 },
    );
  });

  it('rejects a million levels without a stack overflow', () => {
    expect(reasonFor(nested(jsonLimits.depth))).toBeNull();
    expect(reasonFor(nested(jsonLimits.depth + 1))).toBe('depth');
    expect(reasonFor(nested(1_000_000))).toBe('depth');
    expect(reasonFor('['.repeat(6000))).toBe('depth');
    expect(reasonFor('{"a":'.repeat(1_000_000))).toBe('depth');
  });

  it('counts bytes in UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (word) => {
        const text = JSON.stringify(word);
        const bytes = new TextEncoder().encode(text).length;
        expect(reasonFor(text, { bytes })).toBeNull();
        expect(reasonFor(text, { bytes: bytes - 1 })).toBe('bytes');
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it.each(['', ' ', '{', '[1,]', 'nul', '"', '\u0000', '{"a":1}}', ']'.repeat(300), '['.repeat(100)])(
    'rejects %j as invalid JSON',
    (text) => {
      expect(reasonFor(text)).toBe('syntax');
    },
  );
});
