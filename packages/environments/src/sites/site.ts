/** @file Common parts of all sites: interface, addresses, paginated lists, and records with immutable updates. */

import type { JsonObject, Rng } from '@ludus-agents/kernel/internal/core/index';
import { link, type PageNode, type RowCell, table, text } from './page.ts';

/** The fixed current date. Time never advances, and ids come from counters. */
export const today = '2026-03-02';
/** The user of the browser, signed in from the start on every site except the administration. */
export const me = 'robin';

export type Query = Readonly<Record<string, string>>;

export interface SiteRequest {
  /** The path within the site: "" or "/product/3". */
  readonly path: string;
  readonly query: Query;
  /** The account that is signed in to the administration, or null. */
  readonly admin: string | null;
}

export interface SitePost extends SiteRequest {
  readonly form: Query;
}

/** A site as seen by the router. A POST returns new data and a redirect address relative to the site. */
export interface Site<D extends JsonObject = JsonObject> {
  readonly title: string;
  readonly menu: readonly (readonly [string, string])[];
  /** Generates fresh data. `size` is the approximate number of records in the main list. */
  generate(size: number, dice: Rng): D;
  show(data: D, request: SiteRequest): readonly PageNode[] | null;
  post(data: D, request: SitePost): SiteAnswer<D> | null;
}

export interface SiteAnswer<D> {
  readonly data?: D;
  readonly to: string;
  /** Signs an account in to the administration, or out if null. */
  readonly admin?: string | null;
}

export function address(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== '');
  if (pairs.length === 0) return path;
  return `${path}?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;
}

export function parseAddress(url: string): { readonly path: string; readonly query: Query } {
  const plain = url.split('#', 1)[0];
  const at = plain.indexOf('?');
  if (at < 0) return { path: plain, query: {} };
  return { path: plain.slice(0, at), query: Object.fromEntries(new URLSearchParams(plain.slice(at + 1))) };
}

/** Rows per page of a list. */
const rowsAPage = 10;

/** Returns a table with one page of rows, the total number of rows, and links to the other pages. */
export function pagedTable(
  { name, head, rows }: { readonly name: string; readonly head: readonly string[]; readonly rows: readonly (readonly RowCell[])[] },
  path: string,
  query: Query,
): readonly PageNode[] {
  const pages = Math.max(1, Math.ceil(rows.length / rowsAPage));
  const page = Math.min(pages, Math.max(1, Number.parseInt(query['page'] ?? '1', 10) || 1));
  const at = (to: number) => address(path, { ...query, page: String(to), note: '', error: '' });
  const nodes: PageNode[] = [text(`${rows.length} found.${pages > 1 ? ` Page ${page} of ${pages}.` : ''}`)];
  if (rows.length > 0) nodes.push(table(name, head, rows.slice((page - 1) * rowsAPage, page * rowsAPage)));
  if (page > 1) nodes.push(link('Previous page', at(page - 1)));
  if (page < pages) nodes.push(link('Next page', at(page + 1)));
  return nodes;
}

export type Records<R> = { readonly [id: string]: R };

export function findRecord<R>(all: Records<R>, id: string | undefined): R | null {
  return id !== undefined && Object.hasOwn(all, id) ? all[id] : null;
}

export function withRecord<R>(all: Records<R>, id: string, record: R): Records<R> {
  return { ...all, [id]: record };
}

export function withoutRecord<R>(all: Records<R>, id: string): Records<R> {
  const { [id]: _, ...rest } = all;
  return rest as Records<R>;
}

/** Returns whether a text contains every word of a search, ignoring case. */
export function matches(text: string, searched: string): boolean {
  const inside = text.toLowerCase();
  return searched
    .toLowerCase()
    .split(/\s+/)
    .every((word) => inside.includes(word));
}

/** Returns the part of a path after a prefix, such as "3" of "/product/3", or undefined if the prefix doesn't match. */
export function idIn(path: string, prefix: string): string | undefined {
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** Returns the text of a field, trimmed. */
export function fieldText(form: Query, name: string): string {
  return (form[name] ?? '').replace(/\s+/g, ' ').trim().slice(0, 500);
}

/** Returns the next id for numbered records. */
export function nextId(all: Records<unknown>): string {
  return String(Object.keys(all).reduce((most, id) => Math.max(most, Number(id)), 0) + 1);
}

/** Names of people who exist on all sites. */
export const people = ['alice', 'bruno', 'carla', 'diego', 'elena', 'farid', 'greta', 'hugo', 'ines', 'jonas', 'kira', 'liam'] as const;

export function addressOf(person: string): string {
  return `${person}@example.com`;
}

/** Returns the date the given number of days from today. */
export function dayAt(days: number): string {
  return calendar[days + 100];
}

/** The dates from 100 days before today to 100 days after, computed without the system clock. */
const calendar: readonly string[] = daysFrom({ year: 2025, month: 11, day: 22 }, 201);

function daysFrom(first: { readonly year: number; readonly month: number; readonly day: number }, count: number): readonly string[] {
  const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  let { year, month, day } = first;
  return Array.from({ length: count }, () => {
    const written = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
    day = day === lengths[month - 1] ? 1 : day + 1;
    if (day === 1) month = month === 12 ? 1 : month + 1;
    if (day === 1 && month === 1) year++;
    return written;
  });
}

/** Draws this many different items of a list, or all of them if it has fewer. */
export function several<T>(items: readonly T[], count: number, dice: Rng): readonly T[] {
  const left = items.slice();
  const used: T[] = [];
  while (used.length < count && left.length > 0) {
    const at = dice.int(left.length);
    used.push(left[at]);
    left[at] = left[left.length - 1];
    left.pop();
  }
  return used;
}
