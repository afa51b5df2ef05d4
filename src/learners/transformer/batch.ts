/** @file Token rows laid out for a graph: padded to a few sizes, so that few graphs are ever compiled, with rows that are alike as one. */

import { Fault, type TokenRow } from '../../core/index.ts';
import type { Extent } from './programs.ts';

/** A token somewhere in a batch, and its place one before: where its chance is known. */
export interface Place {
  readonly row: number;
  readonly at: number;
}

export interface Layout extends Extent {
  readonly tokens: BigInt64Array;
  /** Where each place lies in the batch laid flat; after those asked for, others that fill up. */
  readonly flat: BigInt64Array;
}

/** Rows and the places in them that are looked at, as inputs of a graph. */
export function layOut(rows: readonly ArrayLike<number>[], places: readonly Place[], context: number): Layout {
  const longest = rows.reduce((most, row) => Math.max(most, row.length), 1);
  if (longest > context)
    throw new Fault(
      'input',
      `A row of ${longest} tokens is longer than the ${context} the model can hold; shorten it or make a larger model.`,
    );
  const length = Math.min(context, Math.ceil(longest / 16) * 16);
  const height = powerOfTwo(rows.length);
  const count = Math.min(powerOfTwo(places.length), height * length);
  const tokens = new BigInt64Array(height * length);
  rows.forEach((row, r) => {
    for (let i = 0; i < row.length; i++) tokens[r * length + i] = BigInt(row[i] as number);
  });
  const flat = new BigInt64Array(count);
  const used = new Uint8Array(height * length);
  places.forEach(({ row, at }, i) => {
    flat[i] = BigInt(row * length + at);
    used[row * length + at] = 1;
  });
  for (let i = places.length, free = 0; i < count; i++) {
    while (used[free] === 1) free++;
    flat[i] = BigInt(free++);
  }
  return { rows: height, length, places: count, tokens, flat };
}

function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, least)));
}

/**
 * Rows with the same tokens and the same mask as one row each: their masks add up, and their weights are a mean under these masks. The
 * loss, its gradient and every sum over masked tokens are what they were.
 */
export function merged(batch: readonly TokenRow[]): readonly TokenRow[] {
  const groups = new Map<string, { row: TokenRow; mask: Float64Array; pull: Float64Array }>();
  for (const row of batch) {
    const key = `${Array.from(row.tokens).join()}|${Array.from(row.mask, (one) => (one === 0 ? 0 : 1)).join('')}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = { row, mask: new Float64Array(row.tokens.length), pull: new Float64Array(row.tokens.length) };
      groups.set(key, group);
    }
    for (let i = 0; i < row.tokens.length; i++) {
      const mask = row.mask[i] as number;
      group.mask[i] = (group.mask[i] as number) + mask;
      group.pull[i] = (group.pull[i] as number) + mask * (row.weights === undefined ? 1 : (row.weights[i] as number));
    }
  }
  return [...groups.values()].map(({ row, mask, pull }) => ({
    tokens: row.tokens,
    mask,
    weights: pull.map((sum, i) => (mask[i] === 0 ? 0 : sum / (mask[i] as number))),
  }));
}
