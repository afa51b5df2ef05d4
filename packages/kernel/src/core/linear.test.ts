/** @file Patterns in linear time find what the built-in engine finds, in texts that would stop it. */

import { describe, expect, it, vi } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { fc } from '../../../../test/fixtures/property.ts';
import { linear } from './linear.ts';

/** No text goes to the built-in engine. */
const machine = (pattern: RegExp) => linear(pattern, -1);
/** Characters that the patterns below do not look at. */
const padding = '\u0001'.repeat(20);

const patterns = [
  /\s+$/,
  /^\s*([a-c]+)\s*=\s*(.*?)\s*$/m,
  /(a|ab)(c|bcd)(d*)/,
  /(?:(a)|b)+/,
  /(a*?)(b+?)c?/g,
  /[^ab]*?(?<name>b|c{2,3})(?<rest>a?)/,
  /\ba+\b|\Bb+/gi,
  /(?<![a-c])a{1,2}(?!b)/,
  /(?<=b)c|(?=ab)a/g,
  /^a|b$/gm,
  /(?:a|b|)+c/,
  /\s*[,;]\s*/g,
  /(?:(a+)|(b+)){2}/,
  /[\p{L}]+ |🙂+/gu,
  /./gsu,
  /(x?)*y/,
];

describe('a linear pattern', () => {
  it.each(patterns.map((pattern) => [String(pattern), pattern] as const))(
    '%s gives the same matches as the built-in engine',
    (_, pattern) => {
      const letters = fc.constantFrom('a', 'b', 'c', 'd', ' ', '\n', ',', ';', '=', 'B', '🙂', 'x', 'y', '\r', '_');
      fc.assert(
        fc.property(fc.array(letters, { maxLength: 14 }), (parts) => {
          const text = `${padding}${parts.join('')}`;
          const wrapped = machine(pattern);
          expect(wrapped.exec(text)).toEqual(pattern.exec(text));
          wrapped.lastIndex = 0;
          pattern.lastIndex = 0;
          expect(text.replace(wrapped, '<$&>')).toBe(text.replace(pattern, '<$&>'));
          expect(text.split(wrapped)).toEqual(text.split(pattern));
          expect(text.search(wrapped)).toBe(text.search(pattern));
          if (pattern.global) expect([...text.matchAll(wrapped)]).toEqual([...text.matchAll(pattern)]);
          const tail = `${parts.join('')}`;
          expect(tail.split(wrapped)).toEqual(tail.split(pattern));
        }),
        { numRuns: amount(300, 1000) },
      );
    },
  );

  it('handles texts that would stall the built-in engine', () => {
    const much = amount(60_000, 300_000);
    expect(linear(/\s+$/).test(`${' '.repeat(much)}x`)).toBe(false);
    expect(linear(/(a|a)*b/).test('a'.repeat(much))).toBe(false);
    expect(linear(/<a>\s*([\s\S]*?)\s*<\/a>/).exec(`<a>${' '.repeat(much)}`)).toBe(null);
    expect('['.repeat(much).replace(linear(/\[[^\]]*\]/g), '')).toBe('['.repeat(much));
    expect(`${' '.repeat(much)}x`.split(linear(/\s*;\s*/))).toHaveLength(1);
    expect(linear(/(a+)+b/).test('a'.repeat(40))).toBe(false);
  });

  it.each([
    [/a+b/, 4096],
    [/(?:a+|b+)c/, 4096],
    [/a+b+/, 256],
    [/(?:a+b){2}/, 256],
    [/(?:a+){3,}/, -1],
  ])('%s uses the built-in engine for texts of up to %i characters', (pattern, length) => {
    const native = vi.spyOn(RegExp.prototype, 'exec');
    const asked = (characters: number) => {
      native.mockClear();
      linear(pattern).test(' '.repeat(characters));
      return native.mock.contexts.some((context) => (context as RegExp).source === pattern.source);
    };
    try {
      expect([asked(Math.max(0, length)), asked(Math.max(0, length) + 1)]).toEqual([length >= 0, false]);
    } finally {
      native.mockRestore();
    }
  });

  it('rejects patterns that it cannot match in linear time', () => {
    for (const pattern of [/(a)\1/, /(?<=a*)b/, /(?=.*b)a/]) expect(() => machine(pattern).test(padding)).toThrow();
  });
});
