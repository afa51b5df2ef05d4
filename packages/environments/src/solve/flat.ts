/** @file A game tree laid out in flat arrays, so that a learner can play it millions of times. */

import { leastLegal } from '@ludus-agents/kernel/internal/core/legal-words';
import type { FlatGame } from '../game.ts';
import { distance, type TreeStrategy } from './best-response.ts';
import type { Tree } from './tree.ts';

/** A measured policy: the probability of each legal move, and the total probability of legal moves in each information state. */
export interface MeasuredPolicy {
  readonly strategy: TreeStrategy;
  readonly legal: readonly number[];
}

export interface ExploitFigure {
  /** Null if too little of the policy's probability is on legal moves. */
  readonly exploitability: number | null;
  readonly nashConv: number | null;
  /** Mean probability of legal moves over information states. */
  readonly legal: number;
}

/**
 * Returns a policy's exploitability and the mean probability of legal moves that it is based on.
 *
 * Exploitability is computed from the legal moves alone, renormalized. If most of a policy's answers are illegal, the result would describe
 * a player who doesn't exist, so it is null below a threshold.
 */
export function exploitFigure(tree: Tree, { strategy, legal }: MeasuredPolicy): ExploitFigure {
  const mean = legal.reduce((sum, value) => sum + value, 0) / Math.max(1, legal.length);
  const isMeasurable = mean >= leastLegal.mean && legal.every((mass) => mass >= leastLegal.each);
  if (!isMeasurable) return { exploitability: null, nashConv: null, legal: mean };
  const { exploitability, nashConv } = distance(tree, strategy);
  return { exploitability, nashConv, legal: mean };
}

export function flatten(tree: Tree): FlatGame {
  const { nodes, sets, seats } = tree;
  const first = new Int32Array(nodes.length + 1);
  for (const node of nodes) first[node.index + 1] = first[node.index] + (node.kind === 'terminal' ? 0 : node.children.length);
  const children = new Int32Array(first[nodes.length]);
  const upTo = new Float64Array(children.length);
  const setOf = new Int32Array(nodes.length);
  const returns = new Float64Array(nodes.length * seats.length);
  for (const node of nodes) {
    setOf[node.index] = node.kind === 'decision' ? node.set.index : node.kind === 'chance' ? -1 : -2;
    if (node.kind === 'terminal') {
      returns.set(node.returns, node.index * seats.length);
      continue;
    }
    let sum = 0;
    for (let i = 0; i < node.children.length; i++) {
      const at = first[node.index] + i;
      children[at] = node.children[i].index;
      if (node.kind === 'chance') sum += node.chances[i];
      upTo[at] = sum;
    }
  }
  return {
    seats,
    root: tree.root.index,
    first,
    children,
    upTo,
    setOf,
    returns,
    seatOf: Int32Array.from(sets, (set) => set.seat),
    choices: Int32Array.from(sets, (set) => set.choices.length),
    after: Int32Array.from(sets, (set) => set.after?.set.index ?? -1),
    afterChoice: Int32Array.from(sets, (set) => set.after?.choice ?? -1),
    view: (set) => sets[set].view,
  };
}
