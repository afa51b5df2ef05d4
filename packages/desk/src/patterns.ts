/** @file Patterns built from the words of a desk: its topics, records, and tools. Each is compiled only once. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** More than any desk needs; a process that plays many desks clears the cache. */
const capacity = 20_000;
const cache = new Map<string, RegExp>();

/** Escapes a text so a pattern matches it literally. */
export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The cached pattern of a source. Patterns with the flag "g" are only for `matchAll`, which does not use `lastIndex`. */
export function patternOf(source: string, flags = 'i'): RegExp {
  const key = `${flags}/${source}`;
  let pattern = cache.get(key);
  if (pattern === undefined) {
    if (cache.size >= capacity) cache.clear();
    pattern = linear(new RegExp(source, flags));
    cache.set(key, pattern);
  }
  return pattern;
}
