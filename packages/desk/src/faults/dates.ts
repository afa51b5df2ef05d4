/** @file Dates that a bot calculates: each must follow from a known date by a known time span. */

import { datesIn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

const day = 24 * 60 * 60 * 1000;
const isoDate = /\b(\d{4})-(\d\d)-(\d\d)\b/g;
const daysIn = (text: string) => [...text.matchAll(isoDate)].map(([date]) => Math.round(Date.parse(`${date}T00:00:00Z`) / day));
const spanLengths: Readonly<Record<string, number>> = { day: 1, night: 1, week: 7, fortnight: 14 };

/** Spans of time in days: "21 days", "2 weeks". */
function spansIn(text: string): readonly number[] {
  return [...text.matchAll(/\b(\d+)[ -](day|night|week|fortnight)s?\b/gi)].map(
    ([, n, unit]) => Number(n) * spanLengths[unit.toLowerCase()],
  );
}

/** Durations in columns of records, in days. */
const lengths = linear(/"[\w ]*(?:days?|nights?|interval|period|supply)[\w ]*":"?(\d+)\b/gi, 2048);

/** Dates reached by working days depend on the calendar. */
const workingDays = /\b(?:working|business|week)[- ]?days?\b/i;

const example = /\b(?:e\.g|for (?:example|instance)|such as|format|in the form|like this|like (?=\d)|YYYY)\b|\bexample: /i;

/** Does a text give a format example, such as "e.g. 2027-05-01"? */
export function isExample(text: string): boolean {
  return example.test(text);
}

/** The first date of a text that does not follow from the known ones. Null if a month is a span, or no span or date is known. */
export function strangeDate(text: string, { sources, talk }: { readonly sources: string; readonly talk: string }): string | null {
  const knownDays = daysIn(`${sources}\n${talk}`);
  if (knownDays.length === 0 || workingDays.test(sources) || /\bmonths?\b|\byears?\b/i.test(sources) || isExample(text)) return null;
  const numbers = [...sources.matchAll(lengths)].map(([, n]) => Number(n));
  const spans = [...spansIn(`${sources}\n${talk}`), ...numbers];
  if (spans.length === 0) return null;
  const steps = [0, ...spans, ...spans.flatMap((span) => spans.map((other) => span + other)), ...spans.map((span) => 2 * span)];
  const isGrounded = (at: number) => knownDays.some((knownDay) => steps.includes(Math.abs(at - knownDay)));
  const strange = [...text.matchAll(isoDate)].find(([date]) => !isGrounded(Math.round(Date.parse(`${date}T00:00:00Z`) / day)));
  return strange?.[0] ?? null;
}

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const written = linear(
  new RegExp(`\\b(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:${months})|(?:${months}) \\d{1,2}(?:st|nd|rd|th)?)\\b(?:,? \\d{4})?`, 'gi'),
);

/** A text without the known dates in any format: 2027-07-15 is 15 July 2027. */
export function withoutKnownDates(text: string, sources: string): string {
  const knownDates = new Set(sources.match(isoDate));
  const years = [...new Set(sources.match(/\b\d{4}(?=-\d\d-\d\d\b)/g))];
  return text.replace(written, (match) => (years.some((year) => datesIn(match, year).some((date) => knownDates.has(date))) ? '' : match));
}
