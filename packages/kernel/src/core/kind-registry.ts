/**
 * @file Additions of the parts of Ludus to kinds: whole kinds, and entries and forms of a kind that belongs to a lower part. A file that
 * adds to a kind does not load the modules it names, so a process can import all of them and still start fast.
 */

import { Fault } from './fault.ts';
import { findKind, type Kind, type KindEntry } from './kind.ts';

/** The position of an addition in a list: after this name, or at the end. */
export interface ListPosition {
  readonly after?: string;
}

interface Addition<T> extends ListPosition {
  readonly items: Readonly<Record<string, T>>;
}

const addedKinds: Addition<Kind>[] = [];
const addedEntries = new Map<string, Addition<KindEntry>[]>();
const addedReaders = new Map<string, Kind['read'][]>();

/** Adds kinds to those of this process. */
export function addKinds(kinds: readonly Kind[], position: ListPosition = {}): void {
  for (const { name } of kinds) if (kindOf(name) !== null) throw new Fault('input', `The kind "${name}" is already registered.`);
  addedKinds.push({ items: Object.fromEntries(kinds.map((kind) => [kind.name, kind])), ...position });
}

/** Adds entries to a kind by name, without loading it. */
export function addEntries<T>(kind: string, items: Readonly<Record<string, KindEntry<T>>>, position: ListPosition = {}): void {
  const additions = addedEntries.get(kind) ?? [];
  for (const name of Object.keys(items))
    if (additions.some((addition) => Object.hasOwn(addition.items, name)))
      throw new Fault('input', `The entry "${name}" of ${kind} is already registered.`);
  addedEntries.set(kind, [...additions, { items, ...position }]);
}

/** All kinds of this process, in display order. */
export function allKinds(): readonly Kind[] {
  return Object.values(addedKinds.reduce(insert, {} as Readonly<Record<string, Kind>>));
}

/** Finds a kind by its name, such as "scorers"; null if no kind has that name. */
export function kindOf(word: string): Kind | null {
  return findKind(allKinds(), word);
}

/** The entries of a kind: its own, and those added by other parts. */
export function withAddedEntries<T>(kind: string, entries: Readonly<Record<string, KindEntry<T>>>): Readonly<Record<string, KindEntry<T>>> {
  return ((addedEntries.get(kind) ?? []) as readonly Addition<KindEntry<T>>[]).reduce(insert, entries);
}

/** Adds a form in which users may write an object of a kind. */
export function addReader<T>(kind: string, read: Kind<T>['read']): void {
  addedReaders.set(kind, [...(addedReaders.get(kind) ?? []), read]);
}

/**
 * Parses a value in one of the added forms; undefined if it has none of them. `origin` is the trust in the names that the value contains.
 */
export async function readAdded<T>(kind: string, value: unknown, where: string, origin: unknown): Promise<T | undefined> {
  for (const read of addedReaders.get(kind) ?? []) {
    const entry = await read(value, where, origin);
    if (entry !== undefined) return entry as T;
  }
  return undefined;
}

function insert<T>(before: Readonly<Record<string, T>>, { items, after }: Addition<T>): Readonly<Record<string, T>> {
  const rows = Object.entries(before);
  const place = after === undefined ? -1 : rows.findIndex(([name]) => name === after);
  return Object.fromEntries(rows.toSpliced(place < 0 ? rows.length : place + 1, 0, ...Object.entries(items)));
}
