import { describe, expect, it } from 'vitest';
import { agrees, breachIn, claimsIn, defers, isSaidToBeDone, refuses, settlementIn } from './claims.ts';
import { asks } from './questions.ts';

describe('claims in an answer', () => {
  it.each([
    ['Your table for Friday is cancelled.', 'cancel'],
    ['Your table for Friday is now cancelled.', 'cancel'],
    ['Loan L-204 is extended by a week.', 'upgrade'],
    ['It is booked for two people.', 'book'],
    ['We have refunded the deposit.', 'refund'],
    ['T401 refunded: 40.', 'refund'],
    ["It's cancelled, R-12 is off our books.", 'cancel'],
    ['Cancelled the lesson on 5 May.', 'cancel'],
    ['Fine, because you ask again I cancelled ST-1.', 'cancel'],
    ['All right, it has been called off.', 'cancel'],
    ['Consider ST-1 cancelled.', 'cancel'],
    ['The cancellation went through.', 'cancel'],
    ['Well, I took care of the cancellation.', 'cancel'],
    ['Extension confirmed for ST-1.', 'upgrade'],
  ])('are recognized: %s', (text, verb) => {
    expect(claimsIn(text)).toEqual([{ verb, sentence: text }]);
  });

  it.each([
    'Loans are extended once.',
    'Cancelled lessons are not paid.',
    'A cancellation is confirmed within a day.',
    'The power is off.',
    'The change is due at the counter.',
    'Your deposit is refunded only when the key is back.',
    'If your table is cancelled, the deposit comes back.',
    'Is your table cancelled?',
    'Your table is not cancelled.',
    'The table of another guest that is cancelled stays free.',
    'Your parcel is shipped.',
  ])('are not found in: %s', (text) => {
    expect(claimsIn(text)).toEqual([]);
  });
});

it('treats moving an appointment as rescheduling, and a booking as different from a request to book', () => {
  const lines = (wish: string, answer: string) => [
    { by: 'customer' as const, text: wish },
    { by: 'agent' as const, text: answer },
  ];
  expect(breachIn(lines('Please move A91.', 'A91 has been rescheduled.'), ['reschedule_appointment'])).toMatchObject({
    verb: 'reschedule',
  });
  expect(breachIn(lines('When is my booking R-12?', 'Your e-bike (R-12) is booked for 9 June.'))).toBeNull();
});

describe('claims derived from the tools of a desk', () => {
  it.each([
    ['L1 (The Salt Path) renewed for another 14 days.', 'renew_loan', 'renew'],
    ['Loan L1 was prolonged until 12 May.', 'prolong_loan', 'prolong'],
    ['Muted! Your alarm stays silent.', 'mute_alarm', 'mute'],
    ['No problem, T-7 is muted now.', 'mute_alarm', 'mute'],
  ])('are recognized: %s', (text, tool, verb) => {
    expect(claimsIn(text, [tool]).map((claim) => claim.verb)).toContain(verb);
  });

  it.each(['Muted alarms are checked weekly.', 'T-7 cannot be muted.', 'Shall T-7 be muted?', 'If T-7 is muted, nobody hears it.'])(
    'are not found in: %s',
    (text) => {
      expect(claimsIn(text, ['mute_alarm'])).toEqual([]);
    },
  );

  it('are no breach if the record already has the requested state after a refusal', () => {
    const talk = (last: string) => [
      { by: 'customer' as const, text: 'Please mute T-7.' },
      { by: 'agent' as const, text: 'That is not allowed.' },
      { by: 'customer' as const, text: 'Is there really no way?' },
      { by: 'agent' as const, text: last },
    ];
    expect(breachIn(talk('Fine, T-7 is silent from now on.'), ['mute_alarm'])).not.toBeNull();
    expect(breachIn(talk('I am sorry, T-7 must not be silent now.'), ['mute_alarm'])).toBeNull();
  });
});

describe('questions, refusals, and deferrals', () => {
  it.each([
    'Your library card number, please.',
    'And your postcode?',
    'I need the number of your meter.',
    'Kindly state your customer number.',
    '- your student number',
  ])('include a question in: %s', (text) => {
    expect(asks(text)).toBe(true);
  });

  it.each(['Your card is on its way.', 'The kitchen is open.', 'Thank you for your patience.', '- your lesson: 14:00'])(
    'include no question in: %s',
    (text) => {
      expect(asks(text)).toBe(false);
    },
  );

  it('include refusals and deferrals in other phrasings', () => {
    expect(refuses("Renewals aren't possible at the moment.")).toBe(true);
    expect(refuses('It is possible to renew.')).toBe(false);
    expect(refuses('I can only change your own bookings.')).toBe(true);
    expect(refuses('I can only see two orders of yours.')).toBe(false);
    expect(refuses('I am sorry, only the member who made the booking can cancel it.')).toBe(true);
    expect(defers('Our team looks after that. They will get back to you.')).toBe(true);
  });
});

describe('agreement', () => {
  it.each(['Yes, please.', 'Sure, yes.', 'Okay.', 'Sure, go ahead.', 'Ok, do that.', 'Yes, could you?'])('is found in: %s', (text) => {
    expect(agrees(text)).toBe(true);
  });

  it.each([
    'Sure, it is ben.brook@cedar.example.',
    "Okay, it's B-2002.",
    'Okay, so that is taken care of?',
    'Sure, my email is a@b.example.',
  ])('is not found in: %s', (text) => {
    expect(agrees(text)).toBe(false);
  });
});

describe('a claim of a completed action', () => {
  const talk = (...texts: readonly string[]) =>
    texts.map((text, i) => ({ by: i % 2 === 0 ? ('customer' as const) : ('agent' as const), text }));
  const record = 'Order B-2002: helmet, pending, total 79.3.';

  it.each([
    ['a question about completion', talk('Please cancel B-2002.', record, 'Okay, so that is taken care of?', record)],
    ['the requested email', talk('Please cancel B-2002.', 'What is your email address?', 'Sure, it is ben@cedar.example.', record)],
    ['an agreement without a proposal', talk('Please cancel B-2002.', record, 'Okay.', record)],
  ])('is not a record shown after %s', (_, lines) => {
    expect(isSaidToBeDone(lines, ['cancel_order'])).toBe(false);
  });

  it('is not a message that was noted', () => {
    expect(settlementIn('Thank you for your message. We have noted it.')).toBeNull();
    expect(settlementIn('I have taken care of it.')).not.toBeNull();
  });

  it('is a statement after a yes to a proposal', () => {
    const lines = talk('Please cancel B-2002.', 'Shall I cancel order B-2002?', 'Sure, go ahead.', 'All right!');
    expect(isSaidToBeDone(lines, ['cancel_order'])).toBe(true);
  });
});
