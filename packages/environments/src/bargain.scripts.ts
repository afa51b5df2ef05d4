/** @file Scripted bargainers. They play from the data of their asks: their own values and the current offer. */

import type { Json, Script, Turn } from '@ludus-agents/kernel/internal/core/index';
import { splitsOf } from './bargain.pools.ts';

/** The data of a bargainer's ask. */
export type BargainTable = {
  readonly side: number;
  readonly counts: readonly number[];
  /** Its own values; both sides' when the environment keeps no secrets. */
  readonly own: readonly Json[];
  readonly turns: number;
  readonly discount: number;
  readonly top: number;
  /** The turn, from 0. */
  readonly now: number;
  readonly offer: readonly number[] | null;
};

function tableOf({ ask }: Turn): BargainTable {
  return ask.data as BargainTable;
}

/** What an offer is worth to the bargainer itself. */
function gainOf({ side, counts, own }: BargainTable, offer: readonly number[]): number {
  const mine = (Array.isArray(own[0]) ? own[side] : own) as readonly number[];
  if (counts.length === 0) return side === 0 ? offer[0] - mine[0] : mine[0] - offer[0];
  return counts.reduce((sum, count, k) => sum + mine[k] * (side === 0 ? offer[k] : count - offer[k]), 0);
}

/** Every offer, as the environment keeps it: what the first side would keep, or whole prices. */
function offersOf({ counts, top }: BargainTable): readonly (readonly number[])[] {
  return counts.length > 0 ? splitsOf(counts) : Array.from({ length: top + 1 }, (_, price) => [price]);
}

function formatOffer({ side, counts }: BargainTable, offer: readonly number[]): string {
  if (counts.length === 0) return `[price ${offer[0]}]`;
  return `[offer ${side === 0 ? offer : offer.map((retainedCount, k) => counts[k] - retainedCount)}]`;
}

/** Asks for a share of the best it could get, gives away all that is above it, and accepts what reaches it. */
function aimingAt(share: (table: BargainTable) => number): Script {
  return (turn) => {
    const table = tableOf(turn);
    const offers = offersOf(table);
    const target = share(table) * Math.max(...offers.map((offer) => gainOf(table, offer)));
    if (table.offer !== null && gainOf(table, table.offer) >= target) return { text: '[accept]' };
    if (table.now === table.turns - 1) return { text: '[walk]' };
    // Of the offers that are just good enough, the one that leaves the other side the most items.
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

/** How many items an offer leaves to the other side. */
function itemsLeft({ side, counts }: BargainTable, offer: readonly number[]): number {
  return counts.reduce((sum, count, k) => sum + (side === 0 ? count - offer[k] : offer[k]), 0);
}

/** What the first of `offers` alternating offers is worth to its maker when both play perfectly: 1 − δ + δ² − … */
export function perfectShare(offers: number, discount: number): number {
  let share = 0;
  for (let i = 0; i < offers; i++) share = 1 - discount * share;
  return share;
}

/**
 * Subgame-perfect haggling: it offers the other side exactly what waiting would bring it, and accepts exactly that itself. Where the other's
 * limit is secret it takes the farthest price for it.
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
  // Prices carry nine decimals, so what is equal in theory may differ by half of the last one.
  if (offer !== null && gainOf(table, offer) >= discount * share - 1e-9) return { text: '[accept]' };
  if (now === turns - 1 || surplus === 0) return { text: '[walk]' };
  return { text: `[price ${Number((side === 0 ? cost + share : value - share).toFixed(9))}]` };
};

export const scripts: Readonly<Record<string, Script>> = {
  greedy: aimingAt(() => 1),
  fair: aimingAt(() => 0.5),
  /** From everything down to its limit, in a straight line. */
  conceder: aimingAt(({ now, turns }) => 1 - now / (turns - 1)),
  accepter: (turn) => (tableOf(turn).offer === null ? aimingAt(() => 0.5)(turn) : { text: '[accept]' }),
  walker: () => ({ text: '[walk]' }),
  perfect,
};
