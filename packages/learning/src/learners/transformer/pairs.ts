/** @file The pairs of a batch: the tokens whose probability is needed, the text before each, and their weights. */

import type { TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { after, rootNode, type TextNode } from './tree.ts';

/** A token after a text, with the loss inputs at that position. */
export interface TokenContext {
  /** The index of its text in `nodes`. */
  readonly which: number;
  readonly target: number;
  readonly mask: number;
  readonly weight: number;
  readonly advantage: number | undefined;
  readonly logprob: number | undefined;
}

export interface TokenQuery {
  /** The distinct texts before needed tokens. */
  readonly nodes: readonly TextNode[];
  readonly pairs: readonly TokenContext[];
}

/** Every token under a mask. The first token of a row has no context to be predicted from; the last token is not needed as input. */
export function pairsOf(batch: readonly TokenRow[]): TokenQuery {
  const numbers = new Map<TextNode, number>();
  const pairs: TokenContext[] = [];
  const root = rootNode();
  for (const { tokens, mask, weights, advantages, logprobs } of batch) {
    let last = tokens.length - 1;
    while (last > 0 && mask[last] === 0) last--;
    let node = root;
    for (let at = 1; at <= last; at++) {
      node = after(node, tokens[at - 1]);
      if (mask[at] === 0) continue;
      const which = numbers.get(node) ?? numbers.size;
      numbers.set(node, which);
      pairs.push({
        which,
        target: tokens[at],
        mask: mask[at],
        weight: weights === undefined ? 1 : weights[at],
        advantage: advantages?.[at],
        logprob: logprobs?.[at],
      });
    }
  }
  return { nodes: [...numbers.keys()], pairs };
}

/**
 * Merges pairs of the same token after the same text: masks add up, weights are averaged under them. The loss and its gradient are
 * unchanged.
 */
export function mergePairs(pairs: readonly TokenContext[]): readonly TokenContext[] {
  const groups = new Map<number, { pair: TokenContext; mask: number; pull: number }>();
  for (const pair of pairs) {
    const key = pair.which * 2 ** 24 + pair.target;
    const group = groups.get(key) ?? { pair, mask: 0, pull: 0 };
    group.mask += pair.mask;
    group.pull += pair.mask * pair.weight;
    groups.set(key, group);
  }
  return [...groups.values()].map(({ pair, mask, pull }) => ({ ...pair, mask, weight: mask === 0 ? 0 : pull / mask }));
}
