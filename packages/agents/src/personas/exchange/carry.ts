/**
 * @file Applies an edit to the original document: transfers the changes of our rendering, and nothing else.
 *
 * This makes exchange lossless. A reader parses a part of a foreign document; a writer renders that part. `before` is rendered from the
 * unedited persona, `after` from the edited one: where they agree, the original stays, including everything that we do not parse.
 */

import { canonical, equal, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';

type Maybe = Json | undefined;

/** `original` with every difference between `before` and `after` applied to it; undefined if the result is empty. */
export function carry(original: Maybe, before: Maybe, after: Maybe): Maybe {
  if (equal(before, after)) return original;
  if (isObject(original) && isObject(before) && isObject(after)) return carryObject(original, before, after);
  if (Array.isArray(original) && Array.isArray(before) && Array.isArray(after) && original.length === before.length)
    return carryList(original, before, after);
  return after;
}

function carryObject(original: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(original), ...Object.keys(after)]);
  const entries: [string, Json][] = [];
  for (const key of keys) {
    const value = carry(ownValue(original, key), ownValue(before, key), ownValue(after, key));
    if (value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

/** Items are matched by equality, then by id, then (if none was added or removed) by position. */
function carryList(original: readonly Json[], before: readonly Json[], after: readonly Json[]): readonly Json[] {
  const places = new Map<string, number[]>();
  const ids = new Map<string, number>();
  before.forEach((item, i) => {
    const key = canonical(item);
    const queue = places.get(key);
    if (queue === undefined) places.set(key, [i]);
    else queue.push(i);
    const id = idOf(item);
    if (id !== undefined) ids.set(id, i);
  });
  return after.map((item, i) => {
    const same = places.get(canonical(item))?.shift();
    if (same !== undefined) return original[same]!;
    const id = idOf(item);
    const place = (id === undefined ? undefined : ids.get(id)) ?? (before.length === after.length ? i : -1);
    return place < 0 ? item : (carry(original[place], before[place], item) as Json);
  });
}

function idOf(item: Json): string | undefined {
  const id = isObject(item) ? item['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

function ownValue(object: JsonObject, key: string): Maybe {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
