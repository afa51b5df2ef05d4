/** @file Patterns from strangers: however a key is written, compiling and matching it takes bounded work. */

import { PassThrough } from 'node:stream';
import { pattern } from '@ludus-agents/agents/internal/personas/lore/pattern';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { renderScreenplay } from '../../packages/ludus-agents/src/cli/render/screenplay.ts';

describe('a hostile lorebook key', () => {
  // Each of these ran for hours, or without end, when empty groups were repeated as often as they say.
  it.each([
    '/(?:){999999999999}/',
    '/(?:){999999999999,}/',
    '/(?:){0,999999999999}/',
    '/(){99999999}/',
    '/(?:(?:){999999}){999999}/',
    `/(?:){${'9'.repeat(400)}}/`,
    `/(?:){${'9'.repeat(200)},${'9'.repeat(200)}}/`,
    '/(?:|){99999}/',
    '/(?:a{0}){999999999}/',
    '/((((a{0,40}){0,40}){0,40}){0,40})/',
    `/${'(a{0,600}){0}'.repeat(35)}/`,
    `/${'('.repeat(249)}${')'.repeat(249)}/`,
    '/(?:){1}{2}/',
    '/\\b{999999999}/',
    '/^{999999999}a/',
  ])('is compiled or refused and matched within its limits: %s', (key) => {
    const effort = { left: 10_000_000 };
    const matchingPattern = pattern(key, true, effort);
    expect(effort.left).toBeGreaterThan(0);
    const matching = { left: 1_000_000 };
    matchingPattern?.test('a'.repeat(2000), matching);
    expect(matching.left).toBeGreaterThan(-2);
  });

  it('still matches the text next to an empty repetition', () => {
    expect(pattern('/x(?:){999999999999}y/')?.test('xy')).toBe(true);
    expect(pattern('/x(?:){5,9}y/')?.test('xzy')).toBe(false);
  });

  it('takes its compile time from the budget of the turn, so a book of hard keys stops', () => {
    const effort = { left: 50_000 };
    let madeCount = 0;
    while (effort.left > 0 && madeCount < 1000) {
      pattern(`/(?:${'ab'.repeat(1 + (madeCount % 3))}){0,300}/`, true, effort);
      madeCount++;
    }
    expect(effort.left).toBeLessThanOrEqual(0);
    expect(madeCount).toBeLessThan(100);
  });

  it('stays within its limits for 3,000 seeded patterns', () => {
    const pieces = [
      '(?:)',
      '()',
      'a',
      '(',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{9999999}',
      '{0,9999}',
      '{3,}',
      '[a-z]',
      '\\b',
      '^',
      '$',
      '.',
      '{',
      '}',
      '\\',
    ];
    for (let seed = 0; seed < 3000; seed++) {
      const dice = rng(seed, 'keys');
      const key = `/${Array.from({ length: 1 + dice.int(24) }, () => dice.pick(pieces)).join('')}/`;
      const effort = { left: 3_000_000 };
      const matchingPattern = pattern(key, true, effort);
      expect(effort.left, key).toBeGreaterThan(0);
      const matching = { left: 200_000 };
      matchingPattern?.test('ab ab', matching);
      expect(matching.left, key).toBeGreaterThan(0);
    }
  });
});

describe('seat names in built-in patterns', () => {
  it('are matched literally, even "(" and "(a+)+$"', () => {
    for (const seats of [
      ['(', 'b'],
      ['(a+)+$', 'b'],
      ['[', '\\'],
    ])
      expect(() => makeTheatre(seats)).not.toThrow();
  });
});

function makeTheatre(seats: readonly string[]): unknown {
  const personas = Object.fromEntries(seats.map((seat) => [seat, { name: seat }]));
  const stdout = new PassThrough();
  return renderScreenplay({ name: 'x', personas: personas as never, script: {} }, { stdout, env: {} } as never);
}
