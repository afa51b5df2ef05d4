/** @file A kind is a group of named objects: its name, a one-line description, and its entries, each with one line and a loader. */

/** One entry of a kind. It is loaded on request, so listing is cheap. */
export interface KindEntry<T = unknown> {
  readonly about: string;
  /** Its heading in lists, if its kind has groups. */
  readonly group?: string;
  load(): T | Promise<T>;
}

/** A kind of named object: its entries, and how a user's object is validated. */
export interface Kind<T = unknown> {
  /** The plural, as users type it: "scorers". */
  readonly name: string;
  /** The singular: "scorer". */
  readonly one: string;
  readonly about: string;
  /** The built-in entries, by name. */
  entries(): Promise<Readonly<Record<string, KindEntry<T>>>>;
  /** The required contents of a user's file or package, for the error message. */
  readonly expects: string;
  /**
   * Parses a user's value: a parsed JSON file, or a program's export. Undefined if it is something else; throws a fault if it is meant to
   * be of this kind but is invalid. `origin` is the trust in the names that the value contains.
   */
  read(value: unknown, where: string, origin: unknown): T | undefined | Promise<T | undefined>;
}

/** A name and one line, for lists. */
export interface KindLine {
  readonly name: string;
  readonly about: string;
}

/** The built-in entries of a kind, in order. */
export async function listEntries(kind: Kind): Promise<readonly KindLine[]> {
  return Object.entries(await kind.entries()).map(([name, { about }]) => ({ name, about }));
}

/** The kind named by a word, in the singular or the plural; null if there is none. */
export function findKind<K extends Pick<Kind, 'name' | 'one'>>(kinds: readonly K[], word: string): K | null {
  return kinds.find(({ name, one }) => word === name || word === one) ?? null;
}

/** The entry of a table by its name, excluding inherited properties. */
export function findEntry<T>(entries: Readonly<Record<string, T>>, name: string): T | null {
  return Object.hasOwn(entries, name) ? entries[name]! : null;
}
