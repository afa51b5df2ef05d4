/** @file Patterns that are made of the words of a desk: its topics, its records, its tools. Each is built once, since every message is read for all of them. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** More than any desk has; a process that plays many desks begins again. */
const capacity = 20_000;
const cache = new Map<string, RegExp>();

/** A text as a part of a pattern that matches it letter for letter. */
export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The pattern of a source: the same object for the same source. With the flag "g" it is only for `matchAll`, which keeps no place in it. */
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
