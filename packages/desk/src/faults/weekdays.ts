/** @file Finds weekdays that do not match their dates. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const;
const [day, month] = [
  '(mon|tues|wednes|thurs|fri|satur|sun)day',
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)',
];
const [dayFirst, monthFirst] = [
  linear(new RegExp(`\\b${day},? (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month}\\b(?:,? (\\d{4}))?`, 'gi')),
  linear(new RegExp(`\\b${day},? ${month} (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4}))?`, 'gi')),
];
const after = linear(new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month}(?:,? (\\d{4}))?(?:,| is an?| \\() ?${day}\\b`, 'gi'));
const iso = linear(new RegExp(`\\b${day},? \\(?(\\d{4})-(\\d\\d)-(\\d\\d)\\b`, 'gi'));

interface NamedDay {
  readonly quote: string;
  readonly weekday: string;
  readonly year: string | undefined;
  readonly month: number;
  readonly date: number;
}

function namedDaysIn(text: string): readonly NamedDay[] {
  const monthOf = (name: string) => months.indexOf(name.slice(0, 3).toLowerCase() as (typeof months)[number]);
  return [
    ...[...text.matchAll(dayFirst)].map(([quote, weekday, date, name, year]) => ({ quote, weekday, date, name, year })),
    ...[...text.matchAll(monthFirst)].map(([quote, weekday, name, date, year]) => ({ quote, weekday, date, name, year })),
    ...[...text.matchAll(after)].map(([quote, date, name, year, weekday]) => ({ quote, weekday, date, name, year })),
  ]
    .map(({ quote, weekday, date, name, year }): NamedDay => ({ quote, weekday, year, month: monthOf(name), date: Number(date) }))
    .concat(
      [...text.matchAll(iso)].map(([quote, weekday, year, number, date]) => ({
        ...{ quote, weekday, year, month: Number(number) - 1, date: Number(date) },
      })),
    );
}

/** The first date with a wrong weekday. Null if the year is not known for certain. */
export function wrongWeekdayIn(text: string, sources: string): string | null {
  const years = new Set(sources.match(/\b20\d\d(?=-\d\d-\d\d\b)|\b20\d\d\b(?!-)/g));
  const onlyYear = years.size === 1 ? [...years][0] : undefined;
  const wrong = namedDaysIn(text).find(({ weekday, year = onlyYear, month: at, date }) => {
    if (year === undefined) return false;
    return !weekdays[new Date(Date.UTC(Number(year), at, date)).getUTCDay()].toLowerCase().startsWith(weekday.toLowerCase());
  });
  return wrong?.quote ?? null;
}
