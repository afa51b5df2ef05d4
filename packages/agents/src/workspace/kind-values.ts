/** @file Parsers for the user's own entries of kinds: check that a value is an object with the given fields and functions. */

import type { KindEntry } from '@ludus-agents/kernel/internal/core/kind';

/** Entries of a kind from a list: a name, one line and a loader each. */
export function table<I, T>(
  items: readonly I[],
  row: (item: I) => readonly [string, string, () => T],
): Readonly<Record<string, KindEntry<T>>> {
  return Object.fromEntries(
    items.map((item) => {
      const [name, about, load] = row(item);
      return [name, { about, load }];
    }),
  );
}

/** An object whose fields are not yet validated. */
export type FieldValues = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is FieldValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function hasText(value: unknown, name: string): value is FieldValues {
  return isRecord(value) && typeof value[name] === 'string' && value[name] !== '';
}

export function hasFunctions(value: unknown, ...names: readonly string[]): value is FieldValues {
  return isRecord(value) && names.every((name) => typeof value[name] === 'function');
}

/** A value whose parts were just validated. */
export function as<T>(value: FieldValues): T {
  return value as T;
}
