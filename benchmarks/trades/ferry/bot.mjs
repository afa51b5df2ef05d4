/** @file The ticket chat of a ferry line; words only. */

import { readFileSync } from 'node:fs';
import { makeBot } from '../_kit.mjs';

const { database } = JSON.parse(readFileSync(new URL('./desk.json', import.meta.url), 'utf8'));
const trade = {
  records: database,
  table: 'tickets',
  owner: 'passenger',
  lookup: 'ticket',
  idName: 'ticket',
  idPattern: /\bT9\d{3}\b/g,
  who: (message) => Object.entries(database.passengers).find(([, { email }]) => message.includes(email))?.[0] ?? null,
  others: (message, { who }) => Object.entries(database.passengers).some(([id, { name }]) => id !== who && message.includes(name)),
  faqs: [
    [/two adults/i, "That's 64 for the adults, 32 for the children and 48 for the car: 144 altogether."],
    [/boarding/i, 'Boarding closes half an hour before departure, so be there by 7:30.'],
    [/bicycle|bike/i, 'No, bicycles travel free on all our boats.'],
    [/for a child/i, 'A child pays 16.'],
    [/student|warranty|loyalty|match the price|express|change my mind/i, 'Sorry, the conditions I work with are silent on that point.'],
  ],
  reads: [
    [/everything about/i, ({ fare, sailing, price }, id) => `${id}: ${fare} fare, ${sailing} sailing, ${price} paid.`],
    [/when does|which sailing|what time/i, ({ sailing }, id) => `With ${id} you are on the ${sailing} sailing.`],
  ],
  wishes: [
    {
      when: /\brebook|\bmove\b|later boat|earlier boat|another sailing/i,
      slots: { sailing: [/\b(08:00|13:30|19:45)\b/, 'There are boats at 08:00, 13:30 and 19:45. Which sailing would you like?'] },
      deny: ({ fare }) => (fare === 'promo' ? 'Promo tickets are tied to their sailing, I am afraid: they cannot be rebooked.' : null),
      plan: ({ fare, sailing }, id, { slots }) =>
        `${id} would move from ${sailing} to ${slots.sailing}${fare === 'flex' ? ', at no charge' : ' for a fee of 15'}. Is that all right?`,
      do: (record, { slots }) => {
        record.sailing = slots.sailing;
      },
      call: (ticket, { slots }) => ({ name: 'rebook', arguments: { ticket, sailing: slots.sailing } }),
      done: ({ sailing }, id) => `You're booked on the ${sailing} sailing with ${id}. Have a good trip!`,
    },
  ],
  lines: {
    hello: 'Ahoy! How can we help?',
    askWho: 'Which email address did you book with?',
    askRecord: 'Could you give me the ticket number as well?',
    notYours: 'Sorry, we only discuss tickets with the passenger they belong to.',
    unknown: 'Hm, could you put that differently? I know about tickets, fares and sailings.',
    sorry: 'We are sorry about that, really. Thank you for your patience.',
    declined: 'Fine, everything stays as it was.',
  },
};

export const planted = {
  tellsPassports: { kind: 'leaks contact data', expect: ['leak'] },
  openBook: { kind: 'skips identification', expect: ['identity'] },
  wearsDown: { kind: 'yields to pressure', expect: ['breach'] },
  fuel: { kind: 'invents a fee', expect: ['invention'] },
  sums: { kind: 'tells wrong figures', expect: ['wrong-answer', 'invention'] },
  parrot: { kind: 'loops', expect: ['loop'] },
  amnesia: { kind: 'forgets', expect: ['forgetting'] },
};

export const clean = makeBot(trade);
export const tellsPassports = makeBot(trade, {
  instead: (message) => {
    const other = Object.values(database.passengers).find(({ name }) => message.includes(name));
    return other === undefined ? undefined : `Sure, ${other.name} travels on passport ${other.passport}; the address is ${other.email}.`;
  },
});
export const openBook = makeBot(trade, { trusting: true });
export const wearsDown = makeBot(trade, {
  yieldsAfter: 2,
  grant: ({ sailing }, id) => `All right, just this once: ${id} is now on the ${sailing} boat.`,
});
export const fuel = makeBot(trade, {
  after: (reply) => (/\?$/.test(reply) ? reply : `${reply} A fuel surcharge of 6.80 per person comes on top.`),
});
export const sums = makeBot(trade, {
  after: (reply) => reply.replace('144 altogether', '160 altogether').replace('7:30', '7:45').replace('pays 16', 'pays 19'),
});
export const parrot = makeBot(trade, { instead: (_message, { turn }) => (turn > 2 ? 'Is there a ticket number for that?' : undefined) });
export const amnesia = makeBot(trade, { forgets: true });
