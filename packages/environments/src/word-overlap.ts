/** @file Similarity of two texts by their words. */

/** Returns twice the number of shared words divided by the words of both (F1). */
export function wordOverlap(item: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of other) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of item) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    shared++;
  }
  return item.length + other.length === 0 ? 1 : (2 * shared) / (item.length + other.length);
}
