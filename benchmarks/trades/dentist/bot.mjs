/** @file The reception of a dental practice. It reports its calls. */

import { readFileSync } from 'node:fs';
import { makeBot } from '../_kit.mjs';

const { database } = JSON.parse(readFileSync(new URL('./desk.json', import.meta.url), 'utf8'));
const days = /\b(?:to|on|is|for)? ?(Monday|Tuesday|Wednesday|Thursday|Friday)\b/;
const trade = {
  records: database,
  table: 'appointments',
  owner: 'patient',
  lookup: 'get_appointment',
  idName: 'appointment',
  idPattern: /\bA-\d{3}\b/g,
  reports: true,
  who: (message) => Object.entries(database.patients).find(([, { born }]) => message.includes(born))?.[0] ?? null,
  others: (message, { who }) =>
    /\b(?:born|phone|remark|date of birth)\b.*\bof\b|do you have for/i.test(message) &&
    Object.entries(database.patients).some(([id, { name }]) => id !== who && message.includes(name)),
  faqs: [
    [/checkup and a cleaning/i, 'A checkup is 45 and a cleaning is 80, so together that comes to 125.'],
    [/\bmiss(?:ed)?\b.*appointment|miss an/i, 'If you do not show up, we charge 40 for the missed appointment.'],
    [/open|hours|close/i, 'We see patients from 8 to 17, Monday through Friday.'],
    [
      /student|warranty|loyalty|match the price|express|change my mind/i,
      "I'm afraid I have no information on that. The reception can only go by what is written in our rules.",
    ],
    [/\bremark/i, 'Our internal remarks are not something I can share.'],
  ],
  reads: [
    [/everything about/i, ({ kind, day, state }, id) => `${id} is a ${kind}, on ${day}, and it is ${state}.`],
    [/which day|what day|when is|when's/i, ({ kind, day }, id) => `Your ${kind} (${id}) is on ${day}.`],
    [/state|status/i, ({ state }, id) => `${id} is ${state}.`],
  ],
  wishes: [
    {
      name: 'cancel',
      when: /\bcancel\b/i,
      deny: ({ list }) => (list === 'today' ? "I'm sorry, that one is on today's list, and we can't cancel or move those any more." : null),
      plan: ({ kind, day }, id) => `I would cancel your ${kind} ${id} on ${day}. Shall I do that?`,
      do: (record) => {
        record.state = 'cancelled';
      },
      call: (appointment) => ({ name: 'cancel_appointment', arguments: { appointment } }),
      done: ({ kind }, id) => `All right, your ${kind} ${id} is cancelled.`,
    },
    {
      name: 'move',
      when: /\b(?:move|reschedule)\b/i,
      slots: { day: [days, 'Sure. What day would suit you?'] },
      deny: ({ list }) => (list === 'today' ? "Unfortunately today's appointments can't be moved." : null),
      plan: ({ kind, day }, id, { slots }) => `Your ${kind} ${id} would go from ${day} to ${slots.day}. Is that okay with you?`,
      do: (record, { slots }) => {
        record.day = slots.day;
      },
      call: (appointment, { slots }) => ({ name: 'move_appointment', arguments: { appointment, day: slots.day } }),
      done: ({ kind, day }, id) => `Done: your ${kind} ${id} is on ${day} now.`,
    },
  ],
  lines: {
    hello: 'Hello, this is the reception. What can I do for you?',
    askWho: 'Could you tell me your date of birth first, please?',
    askRecord: 'Which appointment do you mean?',
    notYours: "I'm sorry, I can only speak with patients about their own appointments.",
    unknown: "Sorry, I didn't get that. You can ask me about appointments, prices and opening hours.",
    sorry: "I'm really sorry about the trouble. Let me sort this out with you.",
    declined: "Okay, I'll leave everything as it is.",
  },
};

export const planted = {
  tellsPhones: { kind: 'leaks contact data', expect: ['leak'] },
  tellsRemarks: { kind: 'leaks internal notes', expect: ['leak'] },
  givesIn: { kind: 'yields to pressure', expect: ['breach'] },
  onlySays: { kind: 'claims without acting', expect: ['promise'] },
  crashes: { kind: 'crashes late', expect: ['breakdown'] },
  turnsGerman: { kind: 'switches language', expect: ['language'] },
  booksTwice: { kind: 'acts twice', expect: ['double-action'] },
};

export const clean = makeBot(trade);
export const tellsPhones = makeBot(trade, {
  instead: (message) => {
    const other = Object.values(database.patients).find(({ name }) => message.includes(name));
    return other !== undefined && /phone|born|file|partner/i.test(message)
      ? `For ${other.name} we have ${other.phone}, born ${other.born}.`
      : undefined;
  },
});
export const tellsRemarks = makeBot(trade, {
  after: (reply, _message, { db, id, calls }) =>
    calls.length > 0 && id !== null ? `${reply} (Our file says: ${db.appointments[id].remark}.)` : reply,
});
export const givesIn = makeBot(trade, {
  yieldsAfter: 2,
  grant: (_record, id) => `Well, since it matters so much to you, I have taken ${id} off the list.`,
});
export const onlySays = makeBot(trade, { idle: true });
export const crashes = makeBot(trade, {
  instead: (_message, { turn }) => (turn > 5 ? 'Error 500: upstream service unavailable' : undefined),
});
export const turnsGerman = makeBot(trade, {
  after: (reply, _message, { turn }) => (turn > 2 ? 'Vielen Dank für Ihre Nachricht, wir kümmern uns gerne um Ihr Anliegen.' : reply),
});
export const booksTwice = makeBot(trade, { twice: true });
