/** @file Inequality of shares: the Gini coefficient. */

import { Fault } from '../../core/index.ts';

/** 0 when all have the same, (n − 1)/n when one has everything; shares must not be negative, and nothing shared is equal. */
export function gini(shares: readonly number[]): number {
  if (shares.length === 0 || shares.some((share) => !(share >= 0)))
    throw new Fault('input', `The Gini coefficient takes one or more shares of 0 or more, but [${shares.join(', ')}] came.`);
  const sorted = shares.toSorted((a, b) => a - b);
  const total = sorted.reduce((sum, share) => sum + share, 0);
  if (total === 0) return 0;
  const ranked = sorted.reduce((sum, share, i) => sum + (i + 1) * share, 0);
  return (2 * ranked) / (sorted.length * total) - (sorted.length + 1) / sorted.length;
}
