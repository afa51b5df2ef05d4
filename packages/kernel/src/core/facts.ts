/** @file Finds facts that an agent must state: amounts and counts, dates, words. A fact inside a longer one does not count. */

import { linear } from './linear.ts';

export type Fact =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'date'; readonly value: string }
  | { readonly kind: 'words'; readonly value: string };

/** A fact as it is written in a document: a number, a date like 2025-06-15, or words. */
export function toFact(written: string | number): Fact {
  if (typeof written === 'number') return { kind: 'number', value: written };
  return /^\d{4}-\d{2}-\d{2}$/.test(written) ? { kind: 'date', value: written } : { kind: 'words', value: written };
}

/** Whether a text states a fact, in any common notation. */
export function states(text: string, fact: Fact): boolean {
  if (fact.kind === 'number') return numbersIn(text).some((number) => Math.abs(number - fact.value) < 1e-9);
  if (fact.kind === 'date') return datesIn(text, fact.value.slice(0, 4)).includes(fact.value);
  const [haystack, needle] = [foldText(text), foldText(fact.value)];
  return needle !== '' && ` ${haystack} `.includes(` ${needle} `);
}

/** Separate numbers: 1,234.50 and $12 and 5%, but no part of W-20417, of 2025-06-15, or of 100x. */
export function numbersIn(text: string): number[] {
  // A number can begin at few positions of a text, so the built-in engine takes quadratic time at most.
  const alone = linear(/(?<![\w.#/-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w/-]|[.,]\d)/g, 2048);
  return (text.match(alone) ?? []).map((number) => Number(number.replaceAll(',', '')));
}

const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const month = `(${months.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')})\\.?`;
const day = '(\\d{1,2})(?:st|nd|rd|th)?';
const year = '(?:,?\\s+(\\d{4}))?';
const numeric = /\b(\d{4})-(\d{2})-(\d{2})\b/g;
const dotted = /\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g;
const slashed = /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g;
const dayFirst = linear(new RegExp(`\\b${day}(?:\\s+of)?\\s+${month}${year}\\b`, 'gi'));
const monthFirst = linear(new RegExp(`\\b${month}\\s+${day}${year}\\b`, 'gi'));

/** Dates such as 2025-06-15, 15.6.2025, 6/15/2025, 15 June 2025, or June 15th; without a year, `otherwise` is used. */
export function datesIn(text: string, otherwise: string): string[] {
  const matches: string[] = [];
  const add = (y: string | undefined, m: string | number, d: string) =>
    matches.push(`${y ?? otherwise}-${String(m).padStart(2, '0')}-${d.padStart(2, '0')}`);
  for (const [, y, m, d] of text.matchAll(numeric)) add(y, m as string, d as string);
  for (const [, d, m, y] of text.matchAll(dotted)) add(y, m as string, d as string);
  for (const [, m, d, y] of text.matchAll(slashed)) add(y, m as string, d as string);
  for (const [, d, m, y] of text.matchAll(dayFirst)) add(y, monthNumber(m as string), d as string);
  for (const [, m, d, y] of text.matchAll(monthFirst)) add(y, monthNumber(m as string), d as string);
  return matches;
}

function monthNumber(name: string): number {
  return months.findIndex((month) => month.startsWith(name.toLowerCase().slice(0, 3))) + 1;
}

function foldText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
