/** @file Aggregates token losses to one number. The modes are not interchangeable: each weights long and short sequences differently. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { Aggregation } from '../recipe.ts';

export interface LossAggregate {
  readonly mode: Aggregation;
  /** The divisor: for `constant`, the same for the whole run; for `games`, the number of games. */
  readonly length?: number;
}

/** The factor of each sequence's tokens before everything is added up. */
export function shares(masks: readonly ArrayLike<number>[], { mode, length }: LossAggregate): readonly number[] {
  const lengths = masks.map((mask) => Array.from(mask).reduce((sum, bit) => sum + bit, 0));
  const tokens = lengths.reduce((sum, value) => sum + value, 0);
  if (mode === 'games') return lengths.map((ownLength) => (ownLength === 0 ? 0 : 1 / (length ?? masks.length)));
  if (mode === 'constant' && length === undefined)
    throw new Fault('input', 'The constant aggregation divides by a fixed length. Set this length in the loss.');
  return lengths.map((ownLength) => {
    if (ownLength === 0) return 0;
    if (mode === 'token-mean') return 1 / tokens;
    if (mode === 'sequence-mean-token-mean') return 1 / (masks.length * ownLength);
    return 1 / (masks.length * (mode === 'constant' ? (length as number) : 1));
  });
}

/** The loss of a batch from the losses of its tokens. */
export function aggregate(losses: readonly ArrayLike<number>[], masks: readonly ArrayLike<number>[], rule: LossAggregate): number {
  const factors = shares(masks, rule);
  return losses.reduce((sum, row, i) => {
    let rowSum = 0;
    for (let t = 0; t < row.length; t++) if (masks[i]?.[t] !== 0) rowSum += row[t];
    return sum + rowSum * factors[i];
  }, 0);
}
