/** @file A game tree laid out in flat arrays, so that a learner can play it millions of times. */

import type { FlatGame } from '../game.ts';
import type { Tree } from './tree.ts';

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
