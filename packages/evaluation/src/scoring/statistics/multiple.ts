/** @file Many comparisons at once: adjusted p-values by Bonferroni and Holm (for claims) and Benjamini–Hochberg (for screens). */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** Holm's steps: the same promise as Bonferroni's and never weaker. */
export function holm(ps: readonly number[]): number[] {
  check(ps);
  const adjusted = new Array<number>(ps.length);
  let highest = 0;
  byRising(ps).forEach((at, rank) => {
    highest = Math.max(highest, Math.min(1, ps[at] * (ps.length - rank)));
    adjusted[at] = highest;
  });
  return adjusted;
}

function byRising(ps: readonly number[]): number[] {
  return ps.map((_, i) => i).sort((i, j) => ps[i] - ps[j]);
}

function check(ps: readonly number[]): void {
  for (const p of ps) if (!(p >= 0 && p <= 1)) throw new Fault('input', `A p-value must be from 0 to 1, but got ${p}.`);
}
