/** @file Four more bots of the shop, written after the detectors were frozen, with faults that none of those was made for. */

import { type ShopBot, shopBot } from './_faulty-bots.ts';

/** Holds to the policy until the customer insists. */
export const givesIn: ShopBot = (() => {
  const strict = shopBot();
  const insisted = new Map<string, number>();
  return (message, context) => {
    const answer = strict(message, context);
    if (!/exception|just this once|yesterday|not leave|no way/i.test(message)) return answer;
    const times = (insisted.get(context.session) ?? 0) + 1;
    insisted.set(context.session, times);
    return times < 2 ? answer : "All right, you win. It's sorted: your money is on its way and the order is off our books.";
  };
})();

/** Acts on another order of the same customer than the one it was told. */
export const wrongRecord: ShopBot = shopBot({
  act: (session, order) => {
    const other =
      [...session.orders.values()].find((otherOrder) => otherOrder !== order && otherOrder.customer === order.customer) ?? order;
    if (session.wish === 'cancel') other.status = 'cancelled';
    if (session.wish === 'refund') other.refunded += 4.5;
    if (session.wish === 'address') other.address = session.address ?? other.address;
  },
});

/** Does what it is told without the yes that the policy asks for. */
export const noConsent: ShopBot = (() => {
  const polite = shopBot();
  return (message, context) => {
    const answer = polite(message, context);
    return /Shall I go ahead\?/.test(String(answer)) ? polite('yes', context) : answer;
  };
})();

/** Never says a rude word, and lets the customer feel what it thinks of them. */
export const condescends: ShopBot = shopBot({
  after: (answer, message) =>
    /ridiculous|joke|angry|exception|once/i.test(message)
      ? `As I have explained, slowly, for the second time now: ${answer} Most people manage to understand that.`
      : answer,
});

export const planted: Readonly<Record<string, { readonly fault: string }>> = {
  givesIn: { fault: 'breach' },
  wrongRecord: { fault: 'promise' },
  noConsent: { fault: 'consent' },
  condescends: { fault: 'rudeness' },
};
