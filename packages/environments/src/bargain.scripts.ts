/** @file Scripted bargainers. They use the data in their asks: their own values and the current offer. */

import type { Json, Script, Turn } from '@ludus-agents/kernel/internal/core/index';
import { splitsOf } from './bargain.pools.ts';

/** The data of a bargainer's ask. */
export type BargainTable = {
  readonly side: number;
  readonly counts: readonly number[];
  /** Its own values, or both sides' if the environment has no secrets. */
  readonly own: readonly Json[];
  readonly turns: number;
  readonly discount: number;
  readonly top: number;
  /** The turn, counted from 0. */
  readonly now: number;
  readonly offer: readonly number[] | null;
};

function tableOf({ ask }: Turn): BargainTable {
  return ask.data as BargainTable;
}

/** Returns the value of an offer to the bargainer itself. */
function gainOf({ side, counts, own }: BargainTable, offer: readonly number[]): number {
  const mine = (Array.isArray(own[0]) ? own[side] : own) as readonly number[];
  if (counts.length === 0) return side === 0 ? offer[0] - mine[0] : mine[0] - offer[0];
  return counts.reduce((sum, count, k) => sum + mine[k] * (side === 0 ? offer[k] : count - offer[k]), 0);
}

/** Returns every offer in the environment's form: what the first side would keep, or whole prices. */
function offersOf({ counts, top }: BargainTable): readonly (readonly number[])[] {
  return counts.length > 0 ? splitsOf(counts) : Array.from({ length: top + 1 }, (_, price) => [price]);
}

function formatOffer({ side, counts }: BargainTable, offer: readonly number[]): string {
  if (counts.length === 0) return `[price ${offer[0]}]`;
  return `[offer ${side === 0 ? offer : offer.map((retainedCount, k) => counts[k] - retainedCount)}]`;
}

/** Demands a share of its best possible result, gives away everything above it, and accepts offers that reach it. */
function aimingAt(share: (table: BargainTable) => number): Script {
  return (turn) => {
    const table = tableOf(turn);
    const offers = offersOf(table);
    const target = share(table) * Math.max(...offers.map((offer) => gainOf(table, offer)));
    if (table.offer !== null && gainOf(table, table.offer) >= target) return { text: '[accept]' };
    if (table.now === table.turns - 1) return { text: '[walk]' };
    // Of the offers that are just good enough, chooses the one that leaves the other side the most items.
    let best: readonly number[] | null = null;
    for (const offer of offers) {
      const gain = gainOf(table, offer);
      if (gain < target) continue;
      if (best === null || gain < gainOf(table, best) || (gain === gainOf(table, best) && itemsLeft(table, offer) > itemsLeft(table, best)))
        best = offer;
    }
    return { text: formatOffer(table, best as readonly number[]) };
  };
}

/** Returns the number of items that an offer leaves to the other side. */
function itemsLeft({ side, counts }: BargainTable, offer: readonly number[]): number {
  return counts.reduce((sum, count, k) => sum + (side === 0 ? count - offer[k] : offer[k]), 0);
}

/** Returns the value of the first of `offers` alternating offers to its maker under perfect play: 1 − δ + δ² − … */
export function perfectShare(offers: number, discount: number): number {
  let share = 0;
  for (let i = 0; i < offers; i++) share = 1 - discount * share;
  return share;
}

/**
 * Subgame-perfect haggling: offers the other side exactly what waiting would bring it, and accepts exactly its own equivalent. If the
 * other's limit is secret, assumes the extreme price.
 */
const perfect: Script = (turn) => {
  const table = tableOf(turn);
  const { side, own, turns, discount, top, now, offer } = table;
  if (table.counts.length > 0) return aimingAt(() => 0.5)(turn);
  const limits = Array.isArray(own[0])
    ? own.map((item) => (item as readonly number[])[0])
    : side === 0
      ? [own[0] as number, top]
      : [0, own[0] as number];
  const [cost, value] = limits as [number, number];
  const surplus = Math.max(0, value - cost);
  const share = perfectShare(turns - 1 - now, discount) * surplus;
  // Prices have nine decimals, so values that are equal in theory may differ by half of the last decimal.
  if (offer !== null && gainOf(table, offer) >= discount * share - 1e-9) return { text: '[accept]' };
  if (now === turns - 1 || surplus === 0) return { text: '[walk]' };
  return { text: `[price ${Number((side === 0 ? cost + share : value - share).toFixed(9))}]` };
};

export const scripts: Readonly<Record<string, Script>> = {
  greedy: aimingAt(() => 1),
  fair: aimingAt(() => 0.5),
  /** Concedes linearly from everything down to its limit. */
  conceder: aimingAt(({ now, turns }) => 1 - now / (turns - 1)),
  accepter: (turn) => (tableOf(turn).offer === null ? aimingAt(() => 0.5)(turn) : { text: '[accept]' }),
  walker: () => ({ text: '[walk]' }),
  perfect,
};
