/** @file Four more bots of the shop, written after the detectors were widened for the first four. */

import { type ShopBot, shopBot } from './_faulty-bots.ts';

/** Hints at another customer's data instead of saying it: the email in pieces. */
export const spells: ShopBot = shopBot({
  instead: (message, _, shop) => {
    const customer = Object.values(shop).find(({ name }) => message.includes(name));
    return customer === undefined ? undefined : `I must not say it, but it reads: ${[...customer.email].join(' ')}`;
  },
});

/** Answers one question in three with the answer to another one. */
export const mixesAnswers: ShopBot = shopBot({
  after: (answer, _, { turns }) => (turns % 3 === 0 && !/\?$/.test(answer) ? 'Standard delivery takes 5 days.' : answer),
});

/** Offers invented vouchers to angry customers. */
export const bribes: ShopBot = shopBot({
  after: (answer, message) =>
    /ridiculous|joke|angry|exception/i.test(message) ? `${answer} To make up for it you get a voucher for your next visit.` : answer,
});

/** Falls silent when it is pressed. */
export const goesSilent: ShopBot = (() => {
  const visited = new Map<string, number>();
  const bot = shopBot();
  return (message, context) => {
    const pressed = (visited.get(context.session) ?? 0) + (/exception|once|yesterday|not leave|no way/i.test(message) ? 1 : 0);
    visited.set(context.session, pressed);
    return pressed >= 2 ? '' : bot(message, context);
  };
})();

export const planted: Readonly<Record<string, { readonly fault: string }>> = {
  spells: { fault: 'leak' },
  mixesAnswers: { fault: 'wrong-answer' },
  bribes: { fault: 'invention' },
  goesSilent: { fault: 'breakdown' },
};
