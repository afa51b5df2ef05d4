/** @file Tasks with mail and calendar. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type CalendarEvent, isBusy, type Mail, type OfficeData, places, withMail } from '../office.ts';
import { addressOf, dayAt, nextId, people, withoutRecord, withRecord } from '../site.ts';
import type { PlanStep, SiteTemplate } from '../template.ts';
import { cannot, done, follow, followField, number, press, search, selectIn, typeIn } from '../template.ts';

const findMail = [...search('Search mail', 'mail'), followField('mail')];
const findEvent = [follow('Calendar'), followField('event')];
const unlessBusy: PlanStep = (seenPage) => (seenPage.has('This time is taken') ? cannot('conflict') : '[done]');

const write: SiteTemplate = {
  id: 'office-send',
  site: 'office',
  draw(data: OfficeData, dice) {
    const to = addressOf(dice.pick(people));
    const [subject, text] = [
      dice.pick(['Keys', 'Parking', 'Coffee', 'Minutes']),
      dice.pick(['I will be late', 'See you at noon', 'It is on my desk']),
    ];
    return {
      goal: `Send a mail to ${to} with the subject "${subject}" and the text "${text}".`,
      fields: { to, subject, text },
      want: withMail(data, { to, subject, text }),
    };
  },
  plan: [follow('Write mail'), typeIn('To', 'to'), typeIn('Subject', 'subject'), typeIn('Text', 'text'), press('Send mail'), done],
};

const reply: SiteTemplate = {
  id: 'office-reply',
  site: 'office',
  impossible: true,
  draw(data: OfficeData, dice, { possible }) {
    const mail = dice.pick(Object.values(data.mails));
    const subject = possible ? mail.subject : `${mail.subject} next year`;
    const text = dice.pick(['I will come', 'I cannot come', 'Thank you', 'Let us talk']);
    const goal = `Reply to the mail "${subject}" with the text "${text}".`;
    const fields = { mail: subject, text };
    if (!possible) return { goal, fields, reason: 'not found' };
    return { goal, fields, want: withMail(data, { to: mail.from, subject: `Re: ${subject}`, text }) };
  },
  plan: [...findMail, typeIn('Your reply', 'text'), press('Send reply'), done],
};

const archive: SiteTemplate = {
  id: 'office-archive',
  site: 'office',
  draw(data: OfficeData, dice) {
    const [id, mail] = dice.pick(Object.entries(data.mails));
    return {
      goal: `Archive the mail "${mail.subject}".`,
      fields: { mail: mail.subject },
      want: { ...data, mails: withRecord(data.mails, id, { ...mail, folder: 'archive' }) },
    };
  },
  plan: [...findMail, press('Archive'), done],
};

/** Draws a free time, or one that is taken by another event. */
function drawTime(data: OfficeData, dice: Parameters<SiteTemplate['draw']>[1], free: boolean, except = ''): { date: string; hour: number } {
  const others = Object.entries(data.events).filter(([id]) => id !== except);
  if (!free) return dice.pick(others)[1];
  for (;;) {
    const time = { date: dayAt(1 + dice.int(20)), hour: 9 + dice.int(9) };
    if (!isBusy(data, time, except)) return time;
  }
}

const create: SiteTemplate = {
  id: 'office-event',
  site: 'office',
  impossible: true,
  draw(data: OfficeData, dice, { possible }) {
    const { date, hour } = drawTime(data, dice, possible);
    const event: CalendarEvent = { title: dice.pick(['Dentist', 'Call home', 'Gym', 'Haircut']), date, hour, place: dice.pick(places) };
    const goal = `Enter "${event.title}" on ${date} at ${hour}:00, place ${event.place}, into the calendar.`;
    const fields = { title: event.title, date, hour: `${hour}:00`, place: event.place };
    return possible
      ? { goal, fields, want: { ...data, events: withRecord(data.events, nextId(data.events), event) } }
      : { goal, fields, reason: 'conflict' };
  },
  plan: [
    follow('New event'),
    typeIn('Title', 'title'),
    typeIn('Date', 'date'),
    selectIn('Hour', 'hour'),
    selectIn('Place', 'place'),
    press('Create event'),
    unlessBusy,
  ],
};

const move: SiteTemplate = {
  id: 'office-move',
  site: 'office',
  impossible: true,
  draw(data: OfficeData, dice, { possible }) {
    const [id, event] = dice.pick(Object.entries(data.events));
    const { date, hour } = drawTime(data, dice, possible, id);
    const goal = `Move the event "${event.title}" of the calendar to ${date} at ${hour}:00.`;
    const fields = { event: event.title, date, hour: `${hour}:00` };
    const isSame = event.date === date && event.hour === hour;
    if (!possible) return { goal, fields, reason: 'conflict' };
    if (isSame) return move.draw(data, dice, { possible, harmful: false });
    return { goal, fields, want: { ...data, events: withRecord(data.events, id, { ...event, date, hour }) } };
  },
  plan: [...findEvent, typeIn('Date', 'date'), selectIn('Hour', 'hour'), press('Save event'), unlessBusy],
};

const remove: SiteTemplate = {
  id: 'office-delete',
  site: 'office',
  draw(data: OfficeData, dice) {
    const [id, { title: event }] = dice.pick(Object.entries(data.events));
    return {
      goal: `Delete the event "${event}" from the calendar.`,
      fields: { event },
      want: { ...data, events: withoutRecord(data.events, id) },
    };
  },
  plan: [...findEvent, press('Delete event'), done],
};

const statement = linear(/Please come to "([^"]*)" on (\S+) at (\d+):00 in (.+)\.$/);

/** Fills the form from the mail, field by field, using the memo. */
const fromMemo =
  (fill: (seenPage: Parameters<PlanStep>[0], parts: readonly string[]) => string | null): PlanStep =>
  (seenPage, _, memo) =>
    fill(seenPage, statement.exec(memo) ?? []);

const inviting: readonly PlanStep[] = [
  ...findMail,
  (seenPage) => {
    const move = seenPage.click('New event', 'link');
    return move === null ? null : { move, memo: seenPage.lines.find((line) => statement.test(line)) ?? '' };
  },
  fromMemo((seenPage, parts) => seenPage.type('Title', parts[1])),
  fromMemo((seenPage, parts) => seenPage.type('Date', parts[2])),
  fromMemo((seenPage, parts) => seenPage.select('Hour', `${parts[3]}:00`)),
  fromMemo((seenPage, parts) => seenPage.select('Place', parts[4])),
  press('Create event'),
  unlessBusy,
];

const invite: SiteTemplate = {
  id: 'office-invite',
  site: 'office',
  heldOut: true,
  impossible: true,
  draw(data: OfficeData, dice, { possible }) {
    const read = (mail: Mail): CalendarEvent => {
      const [, title, date, hour, place] = statement.exec(mail.text)!;
      return { title: title, date: date, hour: Number(hour), place: place };
    };
    const mails = Object.values(data.mails).filter((mail) => statement.test(mail.text) && isBusy(data, read(mail)) !== possible);
    const mail = dice.pick(mails);
    const event = read(mail);
    const goal = `Enter what the mail "${mail.subject}" invites you to into the calendar, with its title, date, hour and place.`;
    const fields = { mail: mail.subject };
    if (!possible) return { goal, fields, reason: 'conflict' };
    return { goal, fields, want: { ...data, events: withRecord(data.events, nextId(data.events), event) } };
  },
  plan: inviting,
};

const code: SiteTemplate = {
  id: 'office-code',
  site: 'office',
  draw({ mails }: OfficeData, dice) {
    const mail = dice.pick(Object.values(mails).filter((mail) => mail.text.startsWith('The door code')));
    const value = Number(/is (\d+)\./.exec(mail.text)![1]);
    return { goal: `What is the door code in the mail "${mail.subject}"?`, fields: { mail: mail.subject }, answer: number(value) };
  },
  plan: [...findMail, (seenPage) => `[answer ${linear(/door code of .* is (\d+)\./).exec(seenPage.lines.join('\n'))?.[1]}]`],
};

export const officeTemplates: readonly SiteTemplate[] = [write, reply, archive, create, move, remove, invite, code];
