/** @file Short forms in a persona document: a plain value instead of an object, and generated ids for items without one. */

import { isObject, type JsonObject } from '@ludus-agents/kernel/internal/core/json';
import { list, type Shape, words } from '@ludus-agents/kernel/internal/core/shape';

type FromText = (text: string) => JsonObject;

/** A list whose items without an id get one: this letter and a number. A plain text may replace an item. */
export function numberedList<T extends { readonly id: string }>(
  letter: string,
  of: Shape<T>,
  plain: FromText | null = (text) => ({ text }),
): Shape<readonly T[]> {
  const items = list(of);
  return {
    ...items,
    schema: plain === null ? items.schema : { type: 'array', items: { anyOf: [words.schema, of.schema] } },
    read: (value, problems) =>
      items.read(Array.isArray(value) ? value.map((item, i) => withId(item, `${letter}${i + 1}`, plain)) : value, problems),
  };
}

function withId(item: unknown, id: string, plain: FromText | null): unknown {
  const full = typeof item === 'string' && plain !== null ? plain(item) : item;
  return isObject(full) && full['id'] === undefined ? { id, ...full } : full;
}

/** An object that a plain value may replace: the value of this field. */
export function orPlain<T>(name: string, plain: Shape<unknown>, of: Shape<T>): Shape<T> {
  return {
    ...of,
    schema: { anyOf: [plain.schema, of.schema] },
    read: (value, problems) => of.read(typeof value === 'string' || typeof value === 'number' ? { [name]: value } : value, problems),
  };
}
