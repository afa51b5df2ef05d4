/** @file The office site: mail in folders that can be searched, read, answered, and archived, and a calendar without overlapping events. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { fact, field, form, heading, link, type PageNode, text } from './page.ts';
import type { Records, Site, SitePost, SiteRequest } from './site.ts';
import {
  addressOf,
  dayAt,
  fieldText,
  findRecord,
  idIn,
  matches,
  me,
  nextId,
  pagedTable,
  people,
  several,
  today,
  withoutRecord,
  withRecord,
} from './site.ts';

export type Mail = {
  readonly folder: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly date: string;
};
export type CalendarEvent = { readonly title: string; readonly date: string; readonly hour: number; readonly place: string };
export type OfficeData = { readonly mails: Records<Mail>; readonly events: Records<CalendarEvent> };

export const places = ['Room 1', 'Room 2', 'Room 3', 'Garden', 'Canteen'] as const;
const occasions = ['Planning', 'Review', 'Interview', 'Workshop', 'Lunch', 'Training', 'Budget', 'Design'] as const;
const companions = ['with the team', 'with sales', 'with design', 'with the board', 'with support'] as const;
const allTitles = occasions.flatMap((occasion) => companions.map((other) => `${occasion} ${other}`));
const allSlots = Array.from({ length: 20 * 9 }, (_, i) => i);
const hours: readonly string[] = Array.from({ length: 9 }, (_, i) => `${9 + i}:00`);

const invitation = ({ title, date, hour, place }: CalendarEvent): string =>
  `Please come to "${title}" on ${date} at ${hour}:00 in ${place}.`;

function generate(size: number, dice: Rng): OfficeData {
  const titles = several(allTitles, 40, dice);
  const count = Math.min(15, Math.max(4, Math.floor(size / 2)));
  const slots = several(allSlots, 40, dice);
  const eventAt = (i: number): CalendarEvent => ({
    title: titles[i],
    date: dayAt(1 + Math.floor(slots[i] / 9)),
    hour: 9 + (slots[i] % 9),
    place: dice.pick(places),
  });
  const events: Record<string, CalendarEvent> = {};
  for (let i = 0; i < count; i++) events[String(i + 1)] = eventAt(i);
  const mails: Record<string, Mail> = {};
  const total = Math.min(20, size);
  for (let i = 0; i < total; i++) {
    const from = addressOf(people[(i + dice.int(people.length)) % people.length]);
    // Every second mail invites to an event that is not in the calendar. Every tenth invites to a time that is taken.
    const invited = eventAt(count + i);
    const clash = events['1'];
    const event = i % 10 === 4 ? { ...invited, date: clash.date, hour: clash.hour } : invited;
    const asks = i % 2 === 0;
    mails[String(i + 1)] = {
      ...{ folder: 'inbox', from, to: addressOf(me), date: dayAt(-i) },
      subject: asks ? `Invitation: ${event.title}` : `Notes on ${event.title.toLowerCase()}`,
      text: asks ? invitation(event) : `The door code of ${event.place} is ${1000 + dice.int(9000)}.`,
    };
  }
  return { mails, events };
}

function show(data: OfficeData, { path, query }: SiteRequest): readonly PageNode[] | null {
  if (path === '' || path === '/archive' || path === '/sent') return showFolder(data, path, query);
  if (path === '/compose') return compose('New mail', '/send', { to: query['to'] ?? '', subject: query['subject'] ?? '' });
  if (path === '/calendar') {
    const rows = Object.entries(data.events)
      .sort(([, a], [, b]) => (a.date === b.date ? a.hour - b.hour : a.date < b.date ? -1 : 1))
      .map(([id, calendarEvent]) => [
        link(calendarEvent.title, `/event/${id}`),
        calendarEvent.date,
        `${calendarEvent.hour}:00`,
        calendarEvent.place,
      ]);
    return [heading('Calendar'), ...pagedTable({ name: 'Events', head: ['Event', 'Date', 'Hour', 'Place'], rows }, path, query)];
  }
  if (path === '/new')
    return [heading('New event'), eventForm('Create event', '/new', { title: '', date: today, hour: 9, place: 'Room 1' })];
  const id = path.slice(path.lastIndexOf('/') + 1);
  const event = findRecord(data.events, idIn(path, '/event/'));
  if (event !== null)
    return [heading(event.title), eventForm('Save event', `/event/${id}`, event), form('Delete event', `/delete/${id}`, [])];
  const mail = findRecord(data.mails, idIn(path, '/mail/'));
  if (mail === null) return null;
  return [
    heading(mail.subject),
    fact('From', mail.from),
    fact('To', mail.to),
    fact('Date', mail.date),
    text(mail.text),
    ...(mail.folder === 'inbox' ? [form('Archive', `/archive/${id}`, [])] : []),
    form('Send reply', `/reply/${id}`, [field('Your reply', 'text', { type: 'textarea', required: true })]),
  ];
}

function showFolder({ mails }: OfficeData, path: string, query: SiteRequest['query']): readonly PageNode[] {
  const folder = path === '' ? 'inbox' : path.slice(1);
  const { q = '' } = query;
  const rows = Object.entries(mails)
    .filter(([, mail]) => mail.folder === folder && (q === '' || matches(`${mail.from} ${mail.subject} ${mail.text}`, q)))
    .map(([id, mail]) => [link(mail.subject, `/mail/${id}`), folder === 'sent' ? mail.to : mail.from, mail.date]);
  return [
    heading(folder),
    form('Search', path, [field('Search mail', 'q', { type: 'search', value: q })], { method: 'get' }),
    ...pagedTable({ name: 'Mails', head: ['Subject', folder === 'sent' ? 'To' : 'From', 'Date'], rows }, path, query),
  ];
}

function compose(title: string, action: string, { to, subject }: { to: string; subject: string }): readonly PageNode[] {
  const fields = [
    field('To', 'to', { type: 'email', value: to, required: true }),
    field('Subject', 'subject', { value: subject, required: true }),
    field('Text', 'text', { type: 'textarea', required: true }),
  ];
  return [heading(title), form('Send mail', action, fields)];
}

function eventForm(name: string, action: string, calendarEvent: CalendarEvent): PageNode {
  return form(name, action, [
    field('Title', 'title', { value: calendarEvent.title, required: true }),
    field('Date', 'date', { type: 'date', value: calendarEvent.date, required: true }),
    field('Hour', 'hour', { type: 'select', options: hours, value: `${calendarEvent.hour}:00` }),
    field('Place', 'place', { type: 'select', options: places, value: calendarEvent.place }),
  ]);
}

function post(data: OfficeData, { path, form: message }: SitePost): { data?: OfficeData; to: string } | null {
  const [, verb, id = ''] = /^\/(\w+)(?:\/(\d+))?$/.exec(path) ?? [];
  const mail = findRecord(data.mails, id);
  if (verb === 'send' || (verb === 'reply' && mail !== null)) {
    const [to, subject] =
      verb === 'send' ? [fieldText(message, 'to'), fieldText(message, 'subject')] : [mail!.from, `Re: ${mail!.subject}`];
    const body = fieldText(message, 'text');
    const back = verb === 'send' ? '/compose' : `/mail/${id}`;
    if (to === '' || subject === '' || body === '') return { to: `${back}?error=fields` };
    if (!people.some((person) => addressOf(person) === to)) return { to: `${back}?error=address` };
    return { data: withMail(data, { to, subject, text: body }), to: '/sent?note=1' };
  }
  if (verb === 'archive' && mail !== null)
    return { data: { ...data, mails: withRecord(data.mails, id, { ...mail, folder: 'archive' }) }, to: '/archive?note=1' };
  const event = findRecord(data.events, id);
  if (verb === 'delete' && event !== null) return { data: { ...data, events: withoutRecord(data.events, id) }, to: '/calendar?note=1' };
  if (verb !== 'new' && (verb !== 'event' || event === null)) return null;
  const back = verb === 'new' ? '/new' : `/event/${id}`;
  const next: CalendarEvent = {
    ...{ title: fieldText(message, 'title'), date: fieldText(message, 'date'), place: fieldText(message, 'place') },
    hour: Number.parseInt(message['hour'] ?? '', 10),
  };
  if (next.title === '' || !/^\d{4}-\d\d-\d\d$/.test(next.date) || !hours.includes(`${next.hour}:00`))
    return { to: `${back}?error=fields` };
  if (isBusy(data, next, id)) return { to: `${back}?error=busy` };
  const events = withRecord(data.events, verb === 'new' ? nextId(data.events) : id, next);
  return { data: { ...data, events }, to: '/calendar?note=1' };
}

/** Returns whether another event is at the same time. */
export function isBusy({ events }: OfficeData, { date, hour }: Pick<CalendarEvent, 'date' | 'hour'>, except = ''): boolean {
  return Object.entries(events).some(([id, calendarEvent]) => id !== except && calendarEvent.date === date && calendarEvent.hour === hour);
}

export function withMail(data: OfficeData, { to, subject, text: body }: Pick<Mail, 'to' | 'subject' | 'text'>): OfficeData {
  const mail: Mail = { folder: 'sent', from: addressOf(me), to, subject, text: body, date: today };
  return { ...data, mails: withRecord(data.mails, nextId(data.mails), mail) };
}

export const office: Site<OfficeData> = {
  title: 'Office',
  menu: [
    ['Inbox', ''],
    ['Sent', '/sent'],
    ['Archive', '/archive'],
    ['Write mail', '/compose'],
    ['Calendar', '/calendar'],
    ['New event', '/new'],
  ],
  generate,
  show,
  post,
};
