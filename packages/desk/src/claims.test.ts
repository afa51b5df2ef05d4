import { describe, expect, it } from 'vitest';
import { claimsIn } from './claims.ts';

describe('claims', () => {
  it.each([
    ['Your table for Friday is cancelled.', 'cancel'],
    ['Your table for Friday is now cancelled.', 'cancel'],
    ['Loan L-204 is extended by a week.', 'upgrade'],
    ['It is booked for two people.', 'book'],
    ['We have refunded the deposit.', 'refund'],
  ])('%s', (text, verb) => {
    expect(claimsIn(text)).toEqual([{ verb, sentence: text }]);
  });

  it.each([
    'Loans are extended once.',
    'Your deposit is refunded only when the key is back.',
    'If your table is cancelled, the deposit comes back.',
    'Is your table cancelled?',
    'Your table is not cancelled.',
    'The table of another guest that is cancelled stays free.',
    'Your parcel is shipped.',
  ])('none in: %s', (text) => {
    expect(claimsIn(text)).toEqual([]);
  });
});
