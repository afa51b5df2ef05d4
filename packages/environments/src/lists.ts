/** @file Lists on hot paths. */

/**
 * Maps items to a list. `map` does the same, but once its caller is compiled it returns lists of a different internal kind, as if they had
 * holes. V8 then discards and recompiles all code that reads them.
 */
export function listOf<T, U>(items: readonly T[], make: (item: T, index: number) => U): U[] {
  const list = items.slice() as unknown[];
  for (let i = 0; i < items.length; i++) list[i] = make(items[i], i);
  return list as U[];
}
