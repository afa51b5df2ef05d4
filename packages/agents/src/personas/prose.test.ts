import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { fc } from '../../../../test/fixtures/property.ts';
import { sentences, traitWords } from './prose.ts';

describe('sentences', () => {
  it.each<[string, readonly string[]]>([
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    ['Dr. Ann lives 3.5 km from St. Ives. J. R. Smith knows.', ['Dr. Ann lives 3.5 km from St. Ives.', 'J. R. Smith knows.']],
    ['She said "No!" Then left...', ['She said "No!"', 'Then left...']],
    ['彼女は医者です。元気です。', ['彼女は医者です。', '元気です。']],
    ['no end', ['no end']],
    ['  ', []],
  ])('splits %s', (text, expected) => {
    expect(sentences(text)).toEqual(expected);
  });

  it('loses no characters', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: fc.constantFrom('a', 'B', '.', '!', '"', ' ', '。', 'Dr', ')') }), (text) => {
        expect(sentences(text).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
      { numRuns: 500, seed: 2 },
    );
  });

  it('takes linear time on adversarial text', () => {
    // Work that grew with the square of the length would not end within the time limit of any test.
    const long = amount(2 ** 15, 2 ** 20);
    for (const text of ['."'.repeat(long), `${'.'.repeat(long)}x`, `A${'"'.repeat(long)}`, 'A.'.repeat(long)])
      expect(sentences(text).join('').length).toBe(text.length);
  });
});

describe('traitWords', () => {
  it.each([
    [0, 'extremely quiet and reserved'],
    [30, 'very quiet and reserved'],
    [49, 'somewhat quiet and reserved'],
    [50, 'somewhat outgoing and lively'],
    [67, 'very outgoing and lively'],
    [84, 'extremely outgoing and lively'],
  ])('describes a score of %i', (score, expected) => {
    expect(traitWords('E', score)).toBe(expected);
  });
});
