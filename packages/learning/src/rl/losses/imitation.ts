/** @file Imitation: masked SFT, the mix of imitation and reinforcement that shifts during a run (CHORD), and token weights of both. */

import type { TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { cosine } from '../schedule.ts';

/** Rows to imitate: every unmasked token of the batch has equal weight, or the row's weight for it. */
export function imitation(rows: readonly TokenRow[], share = 1): readonly TokenRow[] {
  const weightOf = ({ weights }: TokenRow, i: number) => weights?.[i] ?? 1;
  const total = rows.reduce((sum, row) => sum + Array.from(row.mask).reduce((subtotal, bit, i) => subtotal + bit * weightOf(row, i), 0), 0);
  return rows.map((row) => ({
    ...row,
    weights: Float64Array.from(row.mask, (bit, i) => (bit === 0 || total === 0 ? 0 : (share * weightOf(row, i)) / total)),
  }));
}

/** The share of imitation in the loss at an update: .9 falling to .05 over 350 updates by default. */
export function imitationShare(update: number, { from = 0.9, to = 0.05, updates = 350 } = {}): number {
  return cosine({ from, to, updates }, update);
}

/** CHORD's phi: tokens that are nearly certain or nearly impossible under the policy have little weight. */
export function phi(chance: number): number {
  return chance * (1 - chance);
}

/** A mask without some ranges: errors remain in the input but are not trained on (STeP, Agent-R). */
export function without(mask: ArrayLike<number>, stretches: readonly (readonly [number, number])[]): Uint8Array {
  const out = Uint8Array.from(mask);
  for (const [from, to] of stretches) out.fill(0, from, to);
  return out;
}
