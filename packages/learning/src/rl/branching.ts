/** @file When an episode branches: after a surprise, as long as there is budget (ARPO, 2507.19849; AEPO, 2510.14545). */

export interface BranchRule {
  readonly chance: number;
  readonly slope: number;
  /** AEPO: each branch in a row makes the next one less likely. */
  readonly fatigue?: number;
}

/** The chance to branch where entropy has risen by so much since the start, after this many branches in a row. */
export function branchChance({ chance, slope, fatigue = 0 }: BranchRule, rise: number, inARow = 0): number {
  return Math.min(1, Math.max(0, (chance + slope * rise) * Math.max(0, 1 - fatigue * inARow)));
}

/** AEPO: how many of `budget` episodes begin afresh, judged by a probe: more where the question is harder than the tools' answers. */
export function freshShare(budget: number, root: number, tools: number, beta = 1): number {
  return budget / (1 + Math.exp(-beta * (root - tools)));
}

/** A hard advantage for what branches share: the mean of those that grew from it. */
export function sharedAdvantage(leaves: readonly number[]): number {
  return leaves.reduce((sum, leaf) => sum + leaf, 0) / Math.max(1, leaves.length);
}
