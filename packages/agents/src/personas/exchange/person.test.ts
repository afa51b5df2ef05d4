import { describe, expect, it } from 'vitest';
import { fc } from '../../../../../test/fixtures/property.ts';
import { secondPerson, thirdPerson } from './person.ts';

describe('thirdPerson', () => {
  it.each([
    ['You are detail-oriented and take pride in your work.', 'They are detail-oriented and take pride in their work.'],
    ['Your best friend, who trusts you.', 'Their best friend, who trusts them.'],
    ['People who work with you like you.', 'People who work with them like them.'],
    ['You and your wife keep to yourself.', 'They and their wife keep to themself.'],
    ['You’re late; you don’t care.', 'They’re late; they don’t care.'],
    ['You love your kids, and they love you.', 'You love your kids, and they love you.'],
    ['Enjoys mentoring.', 'Enjoys mentoring.'],
  ])('converts %s', (second, third) => {
    expect(thirdPerson(second)).toBe(third);
    if (second !== third) expect(secondPerson(third)).toBe(second);
  });

  it('is reversible', () => {
    const word = fc.constantFrom(
      'You',
      'you',
      'your',
      'Yours',
      'yourself',
      'are',
      'with',
      'and',
      'love',
      'like',
      '.',
      ',',
      'Ann',
      'young',
      'YOURS',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const text = words.join(' ');
        const third = thirdPerson(text);
        if (third !== text) expect(secondPerson(third)).toBe(text);
      }),
      { numRuns: 500, seed: 5 },
    );
  });
});
