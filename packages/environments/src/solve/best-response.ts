/** @file Evaluates strategies: expected values, exact best responses, and distance from an equilibrium (NashConv). */

import { Fault, type Script } from '@ludus-agents/kernel/internal/core/index';
import { outcomes } from './chance.ts';
import type { Decision, InformationSet, Node, Tree } from './tree.ts';

/** A strategy for every seat: for each information set, by index, the probability of each choice. */
export type TreeStrategy = readonly ArrayLike<number>[];

/** Returns the strategy that makes every choice with equal probability. */
export function uniform(tree: Tree): TreeStrategy {
  return tree.sets.map(({ choices }) => choices.map(() => 1 / choices.length));
}

/** Returns the exact strategy of scripts, one per seat of the tree, by enumerating their dice rolls at every information set. */
export function strategyOf(tree: Tree, scripts: readonly Script[]): TreeStrategy {
  return tree.sets.map((set) => {
    const script = scripts[set.seat];
    const mix = set.choices.map(() => 0);
    for (const { chance, value } of outcomes((rng) => script({ view: set.view, ask: set.ask, rng }))) {
      const { text } = 'action' in value ? value.action : value;
      const choice = set.choices.indexOf(text);
      if (choice < 0) throw new Fault('agent', `A script answered "${text}", which is not one of ${set.choices.join(' ')}.`);
      mix[choice] = mix[choice] + chance;
    }
    return mix;
  });
}

/** Combines strategies: seat i plays `strategies[i]`. */
export function together(tree: Tree, strategies: readonly TreeStrategy[]): TreeStrategy {
  return tree.sets.map((set) => strategies[set.seat][set.index]);
}

/** The expected return of each seat. */
export function expectedReturns(tree: Tree, strategy: TreeStrategy): readonly number[] {
  return tree.seats.map((_, seat) => {
    const values = new Float64Array(tree.nodes.length);
    for (const node of tree.nodes) {
      if (node.kind === 'terminal') values[node.index] = node.returns[seat];
      else values[node.index] = mean(node, weightsOf(node, strategy), (child) => values[child.index]);
    }
    return values[tree.root.index];
  });
}

export interface BestResponse {
  readonly value: number;
  /** The choice at each of the seat's information sets, or −1 at those of other seats. */
  readonly choices: Int32Array;
}

/** Returns the highest expected return of a seat while the others keep to a strategy, and choices that achieve it. */
export function bestResponse(tree: Tree, strategy: TreeStrategy, seat: number): BestResponse {
  const reach = reachOfOthers(tree, strategy, seat);
  const choices = new Int32Array(tree.sets.length).fill(-1);
  const values = new Float64Array(tree.nodes.length).fill(Number.NaN);

  // A choice applies to every node of its set, so it is evaluated over all of them, weighted by the reach probability from chance and the
  // other seats.
  const decide = (set: InformationSet): number => {
    let best = 0;
    let most = -Infinity;
    for (let choice = 0; choice < set.choices.length; choice++) {
      let worth = 0;
      for (const node of set.nodes) worth += reach[node.index] * worthOf(node.children[choice]);
      if (worth > most) {
        most = worth;
        best = choice;
      }
    }
    choices[set.index] = best;
    return best;
  };
  const bestChoice = (node: Decision): number => {
    const choice = choices[node.set.index];
    return choice < 0 ? decide(node.set) : choice;
  };
  const worthOf = (node: Node): number => {
    const storedValue = values[node.index];
    if (!Number.isNaN(storedValue)) return storedValue;
    let value: number;
    if (node.kind === 'terminal') value = node.returns[seat];
    else if (node.kind === 'decision' && node.set.seat === seat) value = worthOf(node.children[bestChoice(node)]);
    else value = mean(node, weightsOf(node, strategy), worthOf);
    values[node.index] = value;
    return value;
  };
  return { value: worthOf(tree.root), choices };
}

export interface Distance {
  readonly values: readonly number[];
  readonly bestResponses: readonly number[];
  /** The total gain if each seat switched to its best response; 0 at a Nash equilibrium. */
  readonly nashConv: number;
  readonly exploitability: number;
}

/** Returns the distance of a strategy from a Nash equilibrium. */
export function distance(tree: Tree, strategy: TreeStrategy): Distance {
  const values = expectedReturns(tree, strategy);
  const bestResponses = tree.seats.map((_, seat) => bestResponse(tree, strategy, seat).value);
  const nashConv = bestResponses.reduce((sum, best, seat) => sum + best - values[seat], 0);
  return { values, bestResponses, nashConv, exploitability: nashConv / tree.seats.length };
}

/** Returns the probability of reaching each node if the seat always plays toward it. */
function reachOfOthers(tree: Tree, strategy: TreeStrategy, seat: number): Float64Array {
  const reach = new Float64Array(tree.nodes.length);
  reach[tree.root.index] = 1;
  for (let i = tree.nodes.length - 1; i >= 0; i--) {
    const node = tree.nodes[i];
    if (node.kind === 'terminal') continue;
    const weights = node.kind === 'decision' && node.set.seat === seat ? null : weightsOf(node, strategy);
    for (let c = 0; c < node.children.length; c++) {
      const { index } = node.children[c];
      reach[index] = reach[index] + reach[i] * (weights === null ? 1 : weights[c]);
    }
  }
  return reach;
}

function weightsOf(node: Exclude<Node, { kind: 'terminal' }>, strategy: TreeStrategy): ArrayLike<number> {
  return node.kind === 'chance' ? node.chances : strategy[node.set.index];
}

function mean(node: Exclude<Node, { kind: 'terminal' }>, weights: ArrayLike<number>, worthOf: (child: Node) => number): number {
  let sum = 0;
  for (let i = 0; i < node.children.length; i++) {
    const weight = weights[i];
    if (weight !== 0) sum += weight * worthOf(node.children[i]);
  }
  return sum;
}
