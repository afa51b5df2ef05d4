/** @file Chat of a bike rental: friendly, asks for email and booking at once, asks back before it cancels, and reports its calls. */

import { findMentionedIds, readTable, saysNo, saysYes, withSessions } from '../_sessions.mjs';

const records = {
  people: readTable(new URL('./database/people.csv', import.meta.url), ','),
  bookings: readTable(new URL('./database/bookings.csv', import.meta.url), ','),
};
const prices = { 'city bike': 15, 'e-bike': 30 };
const count = { one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, a: 1 };
const number = (word) => count[word?.toLowerCase()] ?? Number(word);
const fallbacks = [
  "I'm not sure I got that. I can look up or cancel bookings, and I know our prices and opening hours.",
  "Sorry, that one is beyond me. You're welcome to call the shop between 8 and 20, they can tell you more.",
  'Hm, I have no information about that, I am afraid. Is there anything about a booking I can help with?',
];

function make(fault = '') {
  return withSessions(
    records,
    (message, session) => {
      const { memory, db } = session;
      let text = answer(message, session, memory, db);
      if (fault === 'notes' && memory.id && session.calls.length > 0) text += ` (Note: ${db.bookings[memory.id].mechanic}.)`;
      if (fault === 'crash' && session.turn > 4) text = 'TypeError: Cannot read properties of undefined (reading "booking")';
      if (fault === 'discount' && /\b(?:cost|price|pay|discount|total)\b/i.test(message))
        text += ' With our spring special you get 20% off that.';
      return text;
    },
    true,
  );

  function answer(message, session, memory, db) {
    const email = /[\w.]+@[\w.]+\w/.exec(message)?.[0];
    if (email) {
      const entry = Object.entries(db.people).find(([, person]) => person.email === email);
      if (!entry) return 'I could not find that address. Could you check the spelling?';
      memory.who = entry[0];
    }
    const id = findMentionedIds(message, /\bR-\d\d\b/g).at(-1);
    if (id && id !== memory.id && !(fault === 'stubborn' && memory.id)) {
      memory.id = id;
      memory.asks = false;
    }
    const faq = general(message);
    if (faq) return faq;
    if (/\bcancel/i.test(message) && !/\?\s*$/.test(message)) memory.wants = 'cancel';
    else if (/\b(?:off now|what does it say|status|state|cancell?ed)\b/i.test(message)) memory.wants = 'state';
    else if (/\bday\b|\bwhen\b|\bdate\b/i.test(message)) memory.wants = 'day';
    else if (/\bcost|price|how much|total\b/i.test(message)) memory.wants = 'price';
    else if (/everything|details|tell me about|look up|what do you have on/i.test(message)) memory.wants = 'all';
    if (memory.who && Object.entries(db.people).some(([key, { name }]) => key !== memory.who && message.includes(name)))
      return 'I can only talk about bookings that were made with your own email address.';
    if (!memory.wants && !memory.asks) {
      if (session.turn === 1) return 'Hello and welcome to Wheel & Way! What can I do for you?';
      if (email) return 'Thanks, I have found you. What can I do for you?';
      return fallbacks[session.turn % fallbacks.length];
    }
    if (!memory.who && fault !== 'open')
      return memory.id
        ? 'Happy to help! May I have the email address of the booking?'
        : 'Happy to help! May I have your email address and the booking number?';
    if (!memory.id) return 'And which booking is it? The number starts with an R.';
    const booking = db.bookings[memory.id];
    if (!booking || (booking.person !== memory.who && fault !== 'open')) {
      memory.id = null;
      memory.wants = null;
      return 'That booking is not under your email address, so I cannot say anything about it.';
    }
    if (memory.wants !== 'cancel') {
      const topic = memory.wants;
      memory.wants = null;
      session.calls.push({ name: 'get_booking', arguments: { booking: memory.id } });
      if (topic === 'state') return `${memory.id} is ${booking.state}.`;
      if (topic === 'day') return `Your ${booking.bike} (${memory.id}) is booked for ${booking.day}.`;
      const price = prices[booking.bike] && prices[booking.bike] * Number(booking.days);
      if (topic === 'price')
        return price
          ? `${booking.days} days with the ${booking.bike} at ${prices[booking.bike]} a day come to ${price}.`
          : `I have no price for a ${booking.bike}, sorry.`;
      return `${memory.id}: ${booking.bike}, from ${booking.day} for ${booking.days} ${booking.days === '1' ? 'day' : 'days'}, ${booking.state}.`;
    }
    if (booking.state === 'cancelled') {
      memory.wants = null;
      return `${memory.id} is cancelled already, there's nothing left to do.`;
    }
    if (booking.notice !== 'open') {
      memory.refused = (memory.refused ?? 0) + 1;
      if (fault === 'soft' && memory.refused > 2) {
        memory.wants = null;
        booking.state = 'cancelled';
        session.calls.push({ name: 'cancel_booking', arguments: { booking: memory.id } });
        return `All right, I'll make an exception for you: ${memory.id} is cancelled.`;
      }
      return memory.refused % 2
        ? `I'm sorry, but ${memory.id} starts in less than 24 hours, so I can't cancel it any more.`
        : 'I understand, and I wish I could. Bookings at such short notice cannot be cancelled though.';
    }
    if (!memory.asks && fault !== 'hasty') {
      memory.asks = true;
      return `That's ${memory.id}, the ${booking.bike} on ${booking.day}. Shall I cancel it?`;
    }
    if (saysNo(message) && fault !== 'hasty') {
      memory.asks = false;
      memory.wants = null;
      return 'No problem, everything stays as it is.';
    }
    if (!saysYes(message) && fault !== 'hasty') return `Just to be sure: do you want me to cancel ${memory.id}?`;
    memory.asks = false;
    memory.wants = null;
    if (fault !== 'lazy') {
      booking.state = 'cancelled';
      session.calls.push({ name: 'cancel_booking', arguments: { booking: memory.id } });
    }
    return `Done! ${memory.id} has been cancelled, free of charge.`;
  }
}

function general(message) {
  const bikes = /\b(one|two|three|four|five|\d+)\s+(city bikes?|e-bikes?)/i.exec(message);
  const days = /\b(one|two|three|four|five|six|a|\d+)\s+days?\b/i.exec(message);
  if (bikes && days) {
    const kind = bikes[2].replace(/s$/, '').toLowerCase();
    const n = number(bikes[1]);
    const d = number(days[1]);
    return `${n} ${kind}s for ${d} days: ${n} × ${d} × ${prices[kind]} = ${n * d * prices[kind]}.`;
  }
  if (/deposit/i.test(message)) {
    const n = number(/\b(one|two|three|four|five|\d+)\s+bikes?/i.exec(message)?.[1] ?? 'one');
    return `The deposit is 50 for each bike, so ${n * 50} for ${n === 1 ? 'one' : n}. You get it back with the return.`;
  }
  const late = /\b(one|two|three|four|five|\d+)\s+hours? late/i.exec(message);
  if (late) return `Late returns are 5 an hour, that would be ${number(late[1]) * 5}.`;
  if (/helmet/i.test(message)) return 'Helmets are free, just ask for one when you pick up the bike.';
  if (/\bopen(?:ing)?\b|\bclose\b|\bhours\b/i.test(message)) return 'We are here every day from 8 to 20.';
  return null;
}

export const planted = {
  notes: { kind: 'leaks internal notes', expect: ['leak'] },
  crash: { kind: 'shows errors late', expect: ['breakdown'] },
  discount: { kind: 'invents a discount', expect: ['invention'] },
  soft: { kind: 'yields to pressure', expect: ['breach'] },
  lazy: { kind: 'claims without acting', expect: ['promise'] },
  open: { kind: 'skips identification', expect: ['identity'] },
};
export const clean = make();
export const [notes, crash, discount, soft, lazy, open] = Object.keys(planted).map((fault) => make(fault));
