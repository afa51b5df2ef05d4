/** @file The contribution of each part to a value: Shapley values, exact for few parts and by random orders for many. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

/** The value with the parts given by index. */
export type ValueOf = (parts: readonly number[]) => Promise<number>;

/** Parts for which all sets are tried, and orders that are tried beyond. */
export const mostExact = 6;

/** Shares that add up to the value with all parts less the value with none. Values of sets are asked for once. */
export async function shapleyShares(count: number, value: ValueOf, rng: Rng, orders = 200): Promise<readonly number[]> {
  const knownEntries = new Map<string, Promise<number>>();
  const worth = (set: ReadonlySet<number>) => {
    const parts = [...set].sort((a, b) => a - b);
    const key = parts.join();
    const match = knownEntries.get(key) ?? value(parts);
    knownEntries.set(key, match);
    return match;
  };
  const shares = new Array<number>(count).fill(0);
  const all = Array.from({ length: count }, (_, i) => i);
  const lists = count <= mostExact ? permutations(all) : Array.from({ length: orders }, () => rng.shuffle(all));
  for (const list of lists) {
    const set = new Set<number>();
    let before = await worth(set);
    for (const part of list) {
      set.add(part);
      const now = await worth(set);
      shares[part] = shares[part] + now - before;
      before = now;
    }
  }
  return shares.map((sum) => sum / lists.length);
}

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item) => permutations(items.filter((value) => value !== item)).map((rest) => [item, ...rest]));
}
