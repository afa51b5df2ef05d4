/** @file A kind is a group of things that are found by name: its own name, one line about it, and its entries, each with one line and a loader. */

/** One entry of a kind. It is loaded on request, so listing is cheap. */
export interface KindEntry<T = unknown> {
  readonly about: string;
  /** The heading that it is listed under, where its kind has groups. */
  readonly group?: string;
  load(): T | Promise<T>;
}

/** A kind of named object: its entries, and how a user's object is validated. */
export interface Kind<T = unknown> {
  /** The plural, as it is typed: "scorers". */
  readonly name: string;
  /** One of it: "scorer". */
  readonly one: string;
  readonly about: string;
  /** What comes along, by name. */
  entries(): Promise<Readonly<Record<string, KindEntry<T>>>>;
  /** What a file or a package of the user's own must hold, for the sentence that asks for it. */
  readonly expects: string;
  /**
   * Reads a value of the user's own: a parsed JSON file, or something that a program exports. Undefined where it is something else; a fault
   * where it means to be one of this kind and is wrong. `origin` is the trust in the names that the value contains.
   */
  read(value: unknown, where: string, origin: unknown): T | undefined | Promise<T | undefined>;
}

/** A name and one line, for lists. */
export interface KindLine {
  readonly name: string;
  readonly about: string;
}

/** What comes along of a kind, in its order. */
export async function listEntries(kind: Kind): Promise<readonly KindLine[]> {
  return Object.entries(await kind.entries()).map(([name, { about }]) => ({ name, about }));
}

/** The kind that a word means, in the singular or the plural; null where there is none. */
export function findKind<K extends Pick<Kind, 'name' | 'one'>>(kinds: readonly K[], word: string): K | null {
  return kinds.find(({ name, one }) => word === name || word === one) ?? null;
}

/** The entry of a table by its name, never something that every object inherits. */
export function findEntry<T>(entries: Readonly<Record<string, T>>, name: string): T | null {
  return Object.hasOwn(entries, name) ? entries[name]! : null;
}
