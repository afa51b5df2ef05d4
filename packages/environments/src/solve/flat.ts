/** @file A game tree laid out in flat arrays, so that a learner can play it millions of times. */

import { leastLegal } from '@ludus-agents/kernel/internal/core/legal-words';
import type { FlatGame } from '../game.ts';
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

/**
 * Whether a policy is legal enough for its exploitability to mean anything.
 *
 * Exploitability is computed from the legal moves alone, renormalized. Of a policy most of whose answers are illegal that describes a
 * player who does not exist, so below a threshold there is no figure, and above it the legal mass is shown with the figure.
 *
 * The exploitability of a policy, with the legal mass that it is based on.
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
