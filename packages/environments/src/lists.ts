/** @file Lists on hot paths. */

/**
 * A list of what is made of each item. `map` does the same, but once its caller is compiled it hands out lists of another kind than before, as if
 * they had holes: all code that reads them is thrown away then and compiled again.
 */
export function listOf<T, U>(items: readonly T[], make: (item: T, index: number) => U): U[] {
  const list = items.slice() as unknown[];
  for (let i = 0; i < items.length; i++) list[i] = make(items[i], i);
  return list as U[];
}
