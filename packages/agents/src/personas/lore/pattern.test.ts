import { describe, expect, it } from 'vitest';
import { fc } from '../../../../../test/fixtures/property.ts';
import { looksLikePattern, pattern } from './pattern.ts';

const matches = (key: string, text: string) => pattern(key)?.test(text) ?? null;

describe('lore pattern', () => {
  it.each<[string, string, boolean | null]>([
    ['/hut|house/i', 'the HOUSE', true],
    ['/hut|house/', 'the HOUSE', false],
    ['/^a.c$/s', 'a\nc', true],
    ['/^a.c$/', 'a\nc', false],
    ['/^two$/m', 'one\ntwo\nthree', true],
    ['/\\bcat\\b/', 'concatenate', false],
    ['/\\bcat\\b/', 'a cat!', true],
    ['/\\Bcat/', 'concat', true],
    ['/[^\\s\\d]{3,5}x/', 'ab 12abcx', true],
    ['/(?:ab){2}c/', 'ababc', true],
    ['/(?<word>\\w+)ing/i', 'Singing', true],
    ['/\\p{Lu}\\p{Ll}+/u', 'élan Éric', true],
    ['/\\u{1F989}/u', 'an 🦉', true],
    ['/🦉+/u', '🦉🦉', true],
    ['/a{2,}?b/', 'aab', true],
    ['/x*/', '', true],
    ['/$^/', 'a', false],
    ['/[]/', 'a', false],
    ['/[^]/', '\n', true],
    ['/a{,2}/', 'a{,2}', true],
    ['dragons?', 'A DRAGON', true],
    ['/(?=a)b/', 'ab', null],
    ['/(?<!a)b/', 'b', null],
    ['/(a)\\1/', 'aa', null],
    ['/(/', '(', null],
    ['/[[a]--[b]]/v', 'a', null],
    [`/${'a'.repeat(501)}/`, 'a', null],
    ['/(a{100}){100}/', 'a', null],
  ])('matches %s against %j', (key, text, expected) => {
    expect(matches(key, text)).toBe(expected);
  });

  it('agrees with the built-in engine on random patterns and texts', () => {
    const atom = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\b', '^', '$', '\\s', ' ');
    const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '*?');
    const { regex } = fc.letrec<{ regex: string; piece: string }>((tie) => ({
      piece: fc.oneof(
        { weight: 3, arbitrary: fc.tuple(atom, quantifier).map(([item, how]) => (/^(?:\\b|\^|\$)$/.test(item) ? item : item + how)) },
        { weight: 1, arbitrary: fc.tuple(tie('regex'), quantifier).map(([inner, how]) => `(?:${inner})${how}`) },
      ),
      regex: fc
        .array(fc.array(tie('piece'), { maxLength: 3 }), { minLength: 1, maxLength: 2 })
        .map((options) => options.map((pieces) => pieces.join('')).join('|')),
    }));
    const text = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', 'c', 'A', ' ', '\n', '_') });
    fc.assert(
      fc.property(regex, text, fc.constantFrom('', 'i', 'm', 's', 'im'), (source, within, flags) => {
        fc.pre(source !== '');
        expect(matches(`/${source}/${flags}`, within), `/${source}/${flags}`).toBe(new RegExp(source, flags).test(within));
      }),
      { numRuns: 3000, seed: 8 },
    );
  });

  it.each(['/(a+)+$/', '/(a|a)*b/', '/(a|aa)+$/', '/(.*)*x/', '/a*a*a*a*a*a*b/', '/^(([a-z])+.)+[A-Z]([a-z])+$/'])(
    'takes linear time for %s',
    (key) => {
      const steps = (length: number) => {
        const effort = { left: 1e9 };
        expect(pattern(key)?.test(`${'a'.repeat(length)}!`, effort)).toBe(false);
        return 1e9 - effort.left;
      };
      expect(steps(5000)).toBeLessThan(11 * steps(500));
    },
  );

  it('stops when its step limit is reached', () => {
    const effort = { left: 1000 };
    expect(pattern('/(a|b)*c/')?.test(`${'ab'.repeat(10_000)}c`, effort)).toBe(false);
    expect(effort.left).toBeLessThan(0);
    expect(pattern('/(a|b)*c/')?.test(`${'ab'.repeat(10_000)}c`)).toBe(true);
  });

  it('treats a path as plain text', () => {
    expect(looksLikePattern('/a/i')).toBe(true);
    expect(looksLikePattern('/home/user')).toBe(false);
    expect(looksLikePattern('a/b/')).toBe(false);
  });
});
