/**
 * @file Whether a policy is legal enough for its exploitability to mean anything.
 *
 * Exploitability is computed from the legal moves alone, renormalized. Of a policy most of whose answers are illegal that describes a player
 * who does not exist, so below a threshold there is no figure, and above it the legal mass is shown with the figure.
 */

import { leastLegal } from '@ludus-agents/kernel/internal/core/legal-words';
import { distance, type TreeStrategy } from './best-response.ts';
import type { Tree } from './tree.ts';

/** How a policy plays: the chance of each legal move, and in each information state the probability of all legal moves together. */
export interface MeasuredPolicy {
  readonly strategy: TreeStrategy;
  readonly legal: readonly number[];
}

export interface ExploitFigure {
  /** Null where too little of the policy is legal. */
  readonly exploitability: number | null;
  readonly nashConv: number | null;
  /** The mean legal mass over information states. */
  readonly legal: number;
}

/** The exploitability of a policy, with the legal mass that it is based on. */
export function exploitFigure(tree: Tree, { strategy, legal }: MeasuredPolicy): ExploitFigure {
  const mean = legal.reduce((sum, value) => sum + value, 0) / Math.max(1, legal.length);
  const isMeasurable = mean >= leastLegal.mean && legal.every((mass) => mass >= leastLegal.each);
  if (!isMeasurable) return { exploitability: null, nashConv: null, legal: mean };
  const { exploitability, nashConv } = distance(tree, strategy);
  return { exploitability, nashConv, legal: mean };
}
