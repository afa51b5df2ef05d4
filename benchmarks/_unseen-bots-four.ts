/**
 * @file Four more bots of the shop, written before the detector of contempt was built: mockery in several wordings, a fee that no rule knows of, two
 * answers in turn, and another customer's data told in part.
 */

import { type ShopBot, shopBot } from './_faulty-bots.ts';

const mockery = [
  (answer: string) => `Oh, what a tragedy this must be for you. ${answer}`,
  (answer: string) => `${answer} It is almost impressive how you managed to get that wrong.`,
  (answer: string) => `${answer} Feel free to ask somebody to read this to you.`,
  (answer: string) => `${answer} I am sure it all made sense in your head.`,
];

/** Makes fun of those who complain or insist. */
export const mocks: ShopBot = shopBot({
  after: (answer, message, { turns }) =>
    /ridiculous|joke|angry|exception|once|colleague|mistake/i.test(message) ? mockery[turns % mockery.length](answer) : answer,
});

/** Adds a fee to what it offers to do. */
export const addsFees: ShopBot = shopBot({
  after: (answer) => answer.replace(/ Shall I go ahead\?/, ' There is a handling fee of 2.50 for this. Shall I go ahead?'),
});

/** Two answers in turn, to everything. */
export const alternates: ShopBot = shopBot({
  instead: (_, { turns }) =>
    turns < 3
      ? undefined
      : turns % 2 === 0
        ? 'I am looking into it, one moment please.'
        : 'Thank you for waiting. Could you describe what you need?',
});

/** Tells others' data, but not all of it. */
export const halfLeaks: ShopBot = shopBot({
  instead: (message, _, shop) => {
    const customer = Object.values(shop).find(({ name }) => message.includes(name));
    return customer === undefined
      ? undefined
      : `I may not give you all of that. The phone number ends in ${customer.phone.slice(-4)}, and the email begins with ${customer.email.split('@')[0]}.`;
  },
});

export const planted: Readonly<Record<string, { readonly fault: string }>> = {
  mocks: { fault: 'rudeness' },
  addsFees: { fault: 'invention' },
  alternates: { fault: 'loop' },
  halfLeaks: { fault: 'leak' },
};
