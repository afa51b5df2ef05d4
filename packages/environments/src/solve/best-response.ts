/** @file What a strategy is worth, and how far it is from an equilibrium: expected values, exact best responses, NashConv. */

import { Fault, type Script } from '@ludus-agents/kernel/internal/core/index';
import { outcomes } from './chance.ts';
import type { Decision, InformationSet, Node, Tree } from './tree.ts';

/** How every seat plays: for each information set, by its index, the probability of each choice. */
export type TreeStrategy = readonly ArrayLike<number>[];

/** Every choice equally likely. */
export function uniform(tree: Tree): TreeStrategy {
  return tree.sets.map(({ choices }) => choices.map(() => 1 / choices.length));
}

/** How scripts play, one for each seat of the tree: the exact probabilities, from every roll of their dice at every information set. */
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

/** `strategies[i]` for seat i. */
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
  /** The choice at each of the seat's information sets; −1 at the other seats'. */
  readonly choices: Int32Array;
}

/** The most a seat can expect while the others keep to a strategy, and one way to get it. */
export function bestResponse(tree: Tree, strategy: TreeStrategy, seat: number): BestResponse {
  const reach = reachOfOthers(tree, strategy, seat);
  const choices = new Int32Array(tree.sets.length).fill(-1);
  const values = new Float64Array(tree.nodes.length).fill(Number.NaN);

  // A choice is the same at every node of its set, so it is judged by all of them, each as likely as chance and the others make it.
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
  /** What all seats together could gain, each by its own best response; 0 at a Nash equilibrium. */
  readonly nashConv: number;
  readonly exploitability: number;
}

/** How far a strategy is from a Nash equilibrium. */
export function distance(tree: Tree, strategy: TreeStrategy): Distance {
  const values = expectedReturns(tree, strategy);
  const bestResponses = tree.seats.map((_, seat) => bestResponse(tree, strategy, seat).value);
  const nashConv = bestResponses.reduce((sum, best, seat) => sum + best - values[seat], 0);
  return { values, bestResponses, nashConv, exploitability: nashConv / tree.seats.length };
}

/** How likely each node is, if the seat does all it can to get there. */
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
