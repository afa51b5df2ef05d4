/** @file Decides when an episode branches: after a surprise, while the budget lasts (ARPO, 2507.19849; AEPO, 2510.14545). */

export interface BranchRule {
  readonly chance: number;
  readonly slope: number;
  /** AEPO: each consecutive branch makes the next one less likely. */
  readonly fatigue?: number;
}

/** The probability of branching after entropy has risen by `rise` since the start, and after `inARow` consecutive branches. */
export function branchChance({ chance, slope, fatigue = 0 }: BranchRule, rise: number, inARow = 0): number {
  return Math.min(1, Math.max(0, (chance + slope * rise) * Math.max(0, 1 - fatigue * inARow)));
}

/**
 * AEPO: how many of `budget` episodes start from the beginning, given a probe's entropies: more if the question is harder than the tools'
 * answers.
 */
export function freshShare(budget: number, root: number, tools: number, beta = 1): number {
  return budget / (1 + Math.exp(-beta * (root - tools)));
}

/** The advantage of a shared prefix ("hard" in ARPO): the mean over the branches that grew from it. */
export function sharedAdvantage(leaves: readonly number[]): number {
  return leaves.reduce((sum, leaf) => sum + leaf, 0) / Math.max(1, leaves.length);
}
