import { describe, expect, it } from 'vitest';
import { parsePersona } from '../parse.ts';
import { expandMacros, scanText, withNames } from './macros.ts';

const names = { char: 'Ann', user: 'Bob', seed: 1 };

describe('expandMacros', () => {
  it.each([
    ['{{char}} and {{User}}', 'Ann and Bob'],
    ['<BOT> and <user>', 'Ann and Bob'],
    ['{{reverse:Hello}}', 'olleH'],
    ['a{{// hidden }}b{{comment: c}}d{{hidden_key:e}}f', 'abdf'],
    ['{{original}}!', '!'],
    ['{{pick:only}}', 'only'],
    ['{{roll:1}} {{roll:d1}}', '1 1'],
    ['{{roll:none}} {{unknown}} {single}', '{{roll:none}} {{unknown}} {single}'],
  ])('expands %s', (text, expected) => {
    expect(expandMacros(text, names)).toBe(expected);
  });

  it('does not expand inserted text', () => {
    expect(expandMacros('{{char}}', { char: '{{user}}', user: 'Bob' })).toBe('{{user}}');
  });

  it('repeats a roll for the same seed and turn, and repeats a pick in every turn', () => {
    const roll = (turn: number, seed = 1) => expandMacros('{{random:a,b\\,c,d}} {{roll:1000}}', { ...names, seed, turn });
    expect(roll(3)).toBe(roll(3));
    expect(new Set(Array.from({ length: 20 }, (_, turn) => roll(turn))).size).toBeGreaterThan(10);
    const picks = new Set(Array.from({ length: 20 }, (_, turn) => expandMacros('{{pick:a,b,c,d}}', { ...names, turn })));
    expect(picks.size).toBe(1);
    const all = new Set(Array.from({ length: 50 }, (_, turn) => expandMacros('{{random:a,b\\,c}}', { ...names, turn })));
    expect(all).toEqual(new Set(['a', 'b,c']));
  });
});

it('scanText includes hidden keys but not comments', () => {
  expect(scanText('x {{hidden_key:dragon}}{{// wyrm}} {{char}}')).toBe('x dragon {{char}}');
});

it('replaces the macros of everything that a card states', () => {
  const secrets = ['{{char}} fears {{user}}.'];
  const persona = parsePersona({
    name: 'Ann Archer',
    nickname: 'Ann',
    statements: ['{{char}} mends clocks.'],
    goals: ['Help {{user}}.'],
    secrets,
  });
  const { statements, goals, secrets: hidden } = withNames(persona, 'Bo');
  expect([...statements, ...goals, ...hidden].map(({ text }) => text)).toEqual(['Ann mends clocks.', 'Help Bo.', 'Ann fears Bo.']);
});
