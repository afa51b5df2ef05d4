/** @file Imitation: masked SFT, the mix of imitation and reinforcement that shifts over a run (CHORD), and token weights of both. */

import type { TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { cosine } from '../schedule.ts';

/** Rows to be imitated, every token of the batch that is not masked counting the same, or by its weight where rows have weights. */
export function imitation(rows: readonly TokenRow[], share = 1): readonly TokenRow[] {
  const weightOf = ({ weights }: TokenRow, i: number) => weights?.[i] ?? 1;
  const total = rows.reduce((sum, row) => sum + Array.from(row.mask).reduce((subtotal, bit, i) => subtotal + bit * weightOf(row, i), 0), 0);
  return rows.map((row) => ({
    ...row,
    weights: Float64Array.from(row.mask, (bit, i) => (bit === 0 || total === 0 ? 0 : (share * weightOf(row, i)) / total)),
  }));
}

/** How much of the loss is imitation at an update: .9 falling to .05 over 350 updates by default. */
export function imitationShare(update: number, { from = 0.9, to = 0.05, updates = 350 } = {}): number {
  return cosine({ from, to, updates }, update);
}

/** CHORD's phi: what the policy is sure of or cannot imagine teaches little. */
export function phi(chance: number): number {
  return chance * (1 - chance);
}

/** A mask with some stretches taken out: errors stay in what is read and out of what is learned (STeP, Agent-R). */
export function without(mask: ArrayLike<number>, stretches: readonly (readonly [number, number])[]): Uint8Array {
  const out = Uint8Array.from(mask);
  for (const [from, to] of stretches) out.fill(0, from, to);
  return out;
}
