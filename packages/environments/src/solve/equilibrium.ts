/** @file A script that plays a CFR equilibrium of a whole environment. The equilibrium is computed on first use and looked up by view. */

import { Fault, type Script, type View } from '@ludus-agents/kernel/internal/core/index';
import { cfr } from './cfr.ts';
import type { Tree } from './tree.ts';

export interface EquilibriumSolution {
  readonly tree: () => Tree;
  readonly iterations: number;
  /** Returns a key for the decision in a view. Equal decisions have equal keys, regardless of what else the seat has read before. */
  readonly keyOf: (view: View) => string;
}

export function equilibriumScript({ tree, iterations, keyOf }: EquilibriumSolution): Script {
  let mixes: ReadonlyMap<string, readonly number[]> | undefined;
  return ({ view, ask, rng }) => {
    if (mixes === undefined) {
      const grown = tree();
      const strategy = cfr(grown, iterations);
      mixes = new Map(grown.sets.map((set) => [keyOf(set.view), Array.from(strategy[set.index])]));
    }
    const mix = mixes.get(keyOf(view));
    if (mix === undefined) throw new Fault('input', 'This script must see its whole view. Play it without a window.');
    return { text: (ask.choices as readonly string[])[rng.weighted(mix)] };
  };
}
