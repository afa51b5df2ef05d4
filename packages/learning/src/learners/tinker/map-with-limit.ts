/** @file Processes many items, with limited concurrency. */

/** Processes all items, at most `most` concurrently, and returns the results in order. Throws the first failure after all have ended. */
export async function mapWithLimit<T, R>(items: readonly T[], most: number, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const out = new Array<R>(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const i = next++;
      out[i] = await work(items[i]);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, lane));
  for (const item of ended) if (item.status === 'rejected') throw item.reason;
  return out;
}
