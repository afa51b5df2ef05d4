/** @file Every regular expression of the product is one that no text can make slow; scripts/pattern-check.ts says how that is decided. */

import { describe, expect, it } from 'vitest';
import {
  everyPattern,
  isBounded,
  isSupported,
  judge,
  keyOf,
  patternsIn,
  readExceptions,
  readVerdicts,
  sortPatterns,
} from '../scripts/pattern-check.ts';
import { amount } from './fixtures/amount.ts';

describe('the regular expressions of all packages', () => {
  const uses = everyPattern();
  const exceptions = readExceptions();
  const { problems, unjudged, judged } = sortPatterns(uses, new Set(readVerdicts()), exceptions);

  it('are linear, bounded, or verified as safe by "npm run patterns"', () => {
    expect(uses.length).toBeGreaterThan(1500);
    expect(problems.map(({ use, problem }) => `${use.file}:${use.line} ${problem}`)).toEqual([]);
    expect(unjudged.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
  });

  it('get the same verdicts again when a sample is rechecked', () => {
    const short = judged.filter(({ literal }) => literal.source.length < 12);
    const sample = short.filter((_, i) => i % Math.ceil(short.length / amount(6, 40)) === 0);
    expect(sample.length).toBeGreaterThan(3);
    for (const { literal, text } of sample) expect([text, judge(literal.source, literal.flags).status]).toEqual([text, 'safe']);
  });

  it('have no unnecessary exceptions, and each exception has a reason', () => {
    const built = new Set(uses.filter(({ literal, isLinear }) => literal === null && !isLinear).map(({ file, text }) => `${file} ${text}`));
    for (const [file, reasons] of Object.entries(exceptions))
      for (const [text, reason] of Object.entries(reasons)) {
        expect(built).toContain(`${file} ${text}`);
        expect(reason.length).toBeGreaterThan(20);
      }
  });
});

describe('the pattern check', () => {
  it('rejects patterns with superlinear matching time and accepts their linear forms', () => {
    for (const [source, flags] of [
      ['\\s+$', ''],
      ['(a|a)*b', ''],
      ['\\[[^\\]]*\\]', 'g'],
    ] as const) {
      expect(judge(source, flags).status).toBe('vulnerable');
      expect(isBounded(source, flags)).toBe(false);
      expect(isSupported(source, flags)).toBe(true);
    }
    expect(isBounded('a{1,80}b', '')).toBe(true);
    expect(isBounded('a(?=.*b)', '')).toBe(false);
    expect(isSupported('(a)\\1', '')).toBe(false);
  });

  it('finds literal and constructed patterns in code, but not in comments and strings', () => {
    const code = 'const a = /x+$/g; // /no/\nconst b = "/no/"; linear(/y*$/); new RegExp(a + "+"); linear(new RegExp(b)); RegExp("z")';
    const matches = patternsIn(code, 'a.ts').map(({ text, isLinear }) => [text, isLinear]);
    expect(matches).toEqual([
      ['/x+$/g', false],
      ['/y*$/', true],
      ['new RegExp(a + "+")', false],
      ['new RegExp(b)', true],
      ['RegExp("z")', false],
    ]);
    const { problems, unjudged } = sortPatterns(patternsIn(code, 'a.ts'), new Set([keyOf('q', '')]), {});
    expect([problems.length, unjudged.length]).toEqual([2, 1]);
  });
});
